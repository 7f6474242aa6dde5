import { sql } from 'kysely'
import type { Actor } from '../../access/actors.ts'
import { assertDomainAllowed } from '../../access/policies.ts'
import type { Config } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import { asAccount, asAnyone, inCompany } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { domainVouchingFor } from '../../lib/emails.ts'
import { hashOfToken } from '../../lib/secrets.ts'
import { problem } from '../../problems.ts'
import type { JoiningAccount } from '../accounts/accounts.ts'
import { assertMailboxProved, confirmMailbox } from '../accounts/confirm-mailbox.ts'
import { assertMayEnter } from '../accounts/entered-companies.ts'
import { record, recordRefusal } from '../audit/records.ts'
import { invitationLinkSubject } from '../audit/subjects.ts'
import { joinCompany } from '../members/join-company.ts'
import { type Refused, unknownActor } from './admission.ts'
import { getJoinedCompany } from './joined-company.ts'
import { findLinkRoles } from './links.ts'
import { lockToJoin } from './lock-to-join.ts'
import type { InvitationLinkPreview, JoinedCompany, LinkToJoin } from './schemas.ts'
import { findVoucher } from './vouching.ts'

const NO_ACCOUNT = ''

interface FoundLink {
  id: string
  company_id: string
}

/**
 * Names the company, so that people know what they sign up for. A person who has the link may join, which tells more than that. Also of
 * a link without a use left: it leads its members to the company.
 */
export async function previewLink({ database }: Deps, token: string): Promise<InvitationLinkPreview> {
  const found = await findByToken(database.autocommit(asAnyone), token)
  if (!found) throw problem('link_invalid')
  const company = await database
    .autocommit(inCompany(found.company_id, NO_ACCOUNT))
    .selectFrom('companies')
    .select('name')
    .where('id', '=', found.company_id)
    .executeTakeFirst()
  if (!company) throw problem('link_invalid')
  return { company }
}

/**
 * Needs a verified address, whose mailbox the session has proved: a link is passed on, so nothing else tells who joins. The
 * code that proves the mailbox verifies the address as well. A membership stays as it is.
 */
export async function joinByLink(deps: Deps, actor: Actor, { token, ...given }: LinkToJoin): Promise<JoinedCompany> {
  const { config, database } = deps
  const scope = asAccount(actor.accountId)
  const found = await findByToken(database.autocommit(scope), token)
  if (!found) throw problem('link_invalid')
  await assertVerifiable(database.autocommit(scope), actor)
  await confirmMailbox(deps, actor, given, 'joining')
  const outcome = await database.write(scope, (tx) => join(tx, config, actor, found))
  if ('refused' in outcome) throw problem(outcome.refused)
  return outcome
}

/** Whether the link with this token can still be found, for a response that is repeated. */
export async function isLinkKept({ database }: Deps, token: string): Promise<boolean> {
  return (await findByToken(database.autocommit(asAnyone), token)) !== undefined
}

/** Before a code is sent: it verifies no address of an account whose password an administrator has seen. */
async function assertVerifiable(tx: Tx, { accountId }: Actor): Promise<void> {
  const { email_verified_at, password_shown_at } = await tx
    .selectFrom('accounts')
    .select(['email_verified_at', 'password_shown_at'])
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
  if (email_verified_at === null && password_shown_at !== null) throw problem('email_verification_required')
}

async function findByToken(tx: Tx, token: string): Promise<FoundLink | undefined> {
  const { rows } = await sql<FoundLink>`
    select id, company_id from find_invitation_link(${hashOfToken(token)})`.execute(tx)
  return rows[0]
}

async function join(
  tx: Tx,
  config: Config,
  actor: Actor,
  { id, company_id }: FoundLink,
): Promise<JoinedCompany | Refused> {
  const { isOpen, account, membership, found: link } = await lockToJoin(tx, actor, company_id, () => findLocked(tx, id))
  if (!isOpen || !link) throw problem('link_invalid')
  if (account.email_verified_at === null) throw problem('email_verification_required')
  assertMailboxProved(account, 'joining')
  if (membership) return getJoinedCompany(tx, account.id)
  assertMayEnter(config, account.waitToEnter)
  const roles = await findLinkRoles(tx, id)
  const creator = await findVoucher(tx, link.creator_id, roles, link.vouched_at)
  if (!creator) return refuseLink(tx, { ...actor, email: account.email }, id)
  if (!isAllowed(account.email, link.allowed_domains)) throw problem('domain_not_allowed')
  await assertDomainAllowed(tx, account.email, 'invitation')
  if (await hasLeftSince(tx, id, account)) throw problem('invitation_no_longer_valid')

  await countUse(tx, id)
  await record(tx, actor, 'invitation_links.join', invitationLinkSubject({ id }))
  const branches = { branches: [], held: [], isOneUnknown: false, isOneInactive: false }
  await joinCompany(tx, actor, config, account, { roles, branches, addedBy: creator })
  return getJoinedCompany(tx, account.id)
}

async function findLocked(tx: Tx, id: string) {
  return tx
    .selectFrom('invitation_links')
    .select(['creator_id', 'allowed_domains', 'vouched_at'])
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', sql<string>`now()`)
    .executeTakeFirst()
}

const isAllowed = (email: string, domains: string[]) =>
  domains.length === 0 || domains.includes(domainVouchingFor(email))

/** By the account or by the address, as which another one may have been a member, and may be inactive. */
async function hasLeftSince(tx: Tx, linkId: string, { id, email }: JoiningAccount): Promise<boolean> {
  const { rows } = await sql`
    with link as (select created_at from invitation_links where id = ${linkId})
    select from former_members where account_id = ${id} and left_at >= (select created_at from link)
    union all
    select from former_addresses
    left join former_members using (company_id, account_id)
    left join memberships using (company_id, account_id)
    where former_addresses.email = ${email} and (left_at >= (select created_at from link) or status = 'inactive')`.execute(
    tx,
  )
  return rows.length > 0
}

/** The condition decides: no more people join than the link allows. */
async function countUse(tx: Tx, id: string): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('invitation_links')
    .set({ uses: sql`uses + 1` })
    .where('id', '=', id)
    .where(sql<boolean>`uses < max_uses`)
    .executeTakeFirst()
  if (numUpdatedRows !== 1n) throw problem('link_invalid')
}

/** The link ends, so that it does not come to life again when its creator gets the roles back. */
async function refuseLink(tx: Tx, actor: Actor, id: string): Promise<Refused> {
  const refused = 'invitation_no_longer_valid'
  await tx.updateTable('invitation_links').set({ revoked_at: sql`now()` }).where('id', '=', id).execute()
  const { email: _, ...unknown } = unknownActor(actor)
  await recordRefusal(tx, unknown, 'invitation_links.join', refused, invitationLinkSubject({ id }))
  return { refused }
}
