import { sql } from 'kysely'
import type { Actor } from '../../access/actors.ts'
import { findMembership } from '../../access/memberships.ts'
import { assertDomainAllowed } from '../../access/policies.ts'
import type { Config } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import { asAccount, enterCompany } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { domainVouchingFor } from '../../lib/emails.ts'
import { newId } from '../../lib/ids.ts'
import { problem } from '../../problems.ts'
import { type JoiningAccount, lockAccountToJoin } from '../accounts/accounts.ts'
import { assertMailboxProved, confirmMailbox } from '../accounts/confirm-mailbox.ts'
import { assertMayEnter } from '../accounts/entered-companies.ts'
import type { MailboxConfirmation } from '../accounts/schemas.ts'
import { record, unseen } from '../audit/records.ts'
import { joinRequestSubject, memberSubject } from '../audit/subjects.ts'
import { adjustMemberCounters } from '../members/members.ts'
import { insertMembership } from '../members/new-membership.ts'
import { notifyApprovers } from './approvers.ts'
import { joinPolicy } from './domains.ts'
import { rolesGivenBy } from './join-roles.ts'
import type { JoinableCompany, Joining } from './schemas.ts'

/** Those of the account that `tx` acts for; none unless its address is verified. */
export async function listJoinableCompanies(tx: Tx): Promise<JoinableCompany[]> {
  const companies = await findJoinable(tx)
  return companies
    .filter(({ is_declined }) => !is_declined)
    .map(({ id, name, domain, joining, request_id, requested_at }) => {
      const request = request_id === null ? null : { id: request_id, created_at: requested_at as string }
      return { id, name, domain, joining, request }
    })
}

/**
 * By a domain whose policy is `auto` people who were never members join at once. All others ask, former members too: the
 * company may have removed them. Asking again changes nothing, and a declined request can't be repeated, nor by another account with the address. The session proves the mailbox itself: see decision 50.
 */
export async function joinCompany(
  deps: Deps,
  actor: Actor,
  companyId: string,
  given: MailboxConfirmation,
): Promise<Joining> {
  const { config, database } = deps
  await assertJoinable(database.autocommit(asAccount(actor.accountId)), companyId)
  await confirmMailbox(deps, actor, given, 'joining')
  return database.write(asAccount(actor.accountId), async (tx) => {
    const { company, account, domain } = await lockForJoining(tx, actor, companyId)
    const [member, isFormer, request] = await Promise.all([
      findMembership(tx, account.id),
      isFormerMember(tx, account),
      findRequest(tx, account),
    ])
    if (member) throw problem('already_member')
    await assertDomainAllowed(tx, account.email, 'invitation')
    if (request?.declined_at) throw problem('join_request_declined')

    const admission = { company, account, domain }
    if (domain.join_policy === 'auto' && !isFormer) return becomeMember(tx, actor, config, admission)
    const { id, created_at } = request ?? (await askToJoin(tx, actor, config, admission))
    return { company: shownCompany(company), status: 'requested', roles: [], request: { id, created_at } }
  })
}

/** What is locked while an account joins a company by its domain. */
interface Admission {
  company: { id: string; name: string; locale: string; timezone: string }
  account: JoiningAccount
  domain: { id: string; name: string; join_policy: string }
}

interface JoinableRow {
  id: string
  name: string
  domain: string
  joining: JoinableCompany['joining']
  request_id: string | null
  requested_at: string | null
  is_declined: boolean
}

async function findJoinable(tx: Tx): Promise<JoinableRow[]> {
  const { rows } = await sql<JoinableRow>`
    select company_id as id, name, domain, joining, request_id, requested_at, is_declined
    from joinable_companies()`.execute(tx)
  return rows
}

/** A company that can't be joined does not exist for the account, unless it is a member. */
async function assertJoinable(tx: Tx, companyId: string): Promise<void> {
  const joinable = await findJoinable(tx)
  if (joinable.some(({ id }) => id === companyId)) return
  const { rows } = await sql<{ is_member: boolean }>`select is_company_member(${companyId}::uuid) as is_member`.execute(
    tx,
  )
  throw problem(rows[0]?.is_member ? 'already_member' : 'company_not_found')
}

/**
 * The company first, as everywhere; then all that was read before is read again. The domain is locked, too, because
 * another company may verify it at this moment. `tx` acts in the company afterwards.
 */
async function lockForJoining(tx: Tx, actor: Actor, companyId: string): Promise<Admission> {
  await enterCompany(tx, companyId, actor.accountId)
  const company = await tx
    .selectFrom('companies')
    .select(['id', 'name', 'locale', 'timezone'])
    .where('deleted_at', 'is', null)
    .where('suspended_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
  const account = await lockAccountToJoin(tx, actor)
  assertMailboxProved(account, 'joining')
  await enterCompany(tx, companyId, actor.accountId)
  const domain = await tx
    .selectFrom('company_domains')
    .select(['id', 'name', joinPolicy.as('join_policy')])
    .where('name', '=', domainVouchingFor(account.email))
    .where('status', '=', 'verified')
    .where('join_policy', '!=', 'none')
    .forShare()
    .executeTakeFirst()
  if (!company || !domain || account.email_verified_at === null) throw problem('company_not_found')
  return { company, account, domain }
}

/** By the account or by its address: a member who has given an address up could come back by it under another account. */
async function isFormerMember(tx: Tx, { id, email }: JoiningAccount): Promise<boolean> {
  const { rows } = await sql`
    select from former_members where account_id = ${id}
    union all select from former_addresses where email = ${email}`.execute(tx)
  return rows.length > 0
}

/** Its own; before that a declined one of its address. */
async function findRequest(tx: Tx, { id, email }: JoiningAccount) {
  return tx
    .selectFrom('join_requests')
    .select(['id', 'created_at', 'declined_at'])
    .where((where) =>
      where.or([
        where('account_id', '=', id),
        where.and([where('email', '=', email), where('declined_at', 'is not', null)]),
      ]),
    )
    .orderBy('declined_at', (order) => order.asc().nullsLast())
    .executeTakeFirst()
}

/** Joining is a request of the account in the company, so the membership is opened by it. */
async function becomeMember(
  tx: Tx,
  actor: Actor,
  config: Config,
  { company, account, domain }: Admission,
): Promise<Joining> {
  assertMayEnter(config, account.waitToEnter)
  const roles = await rolesGivenBy(tx, domain.id)
  await insertMembership(tx, account.id, roles, { opened_at: sql<string>`now()` })
  const names = roles.map(({ name }) => name)
  await record(tx, actor, 'users.join', memberSubject(account), { roles: { to: names }, domain: { to: domain.name } })
  await notifyApprovers(tx, config, 'joined_by_domain', company, account)
  await adjustMemberCounters(tx, { active: 1 })
  return { company: shownCompany(company), status: 'joined', roles: names, request: null }
}

/** The company learns the address and the name, and no more: the account is no member. */
async function askToJoin(
  tx: Tx,
  actor: Actor,
  config: Config,
  { company, account: { id: account_id, name, email }, domain }: Admission,
): Promise<{ id: string; created_at: string }> {
  const request = await tx
    .insertInto('join_requests')
    .values({ id: newId(), account_id, name, email, domain_id: domain.id })
    .returning(['id', 'email', 'created_at'])
    .executeTakeFirstOrThrow()
  await record(tx, unseen(actor), 'join_requests.create', joinRequestSubject(request), { domain: { to: domain.name } })
  await notifyApprovers(tx, config, 'join_requested', company, { name, email })
  return request
}

const shownCompany = ({ id, name }: Admission['company']) => ({ id, name })
