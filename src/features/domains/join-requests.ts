import { sql } from 'kysely'
import type { CompanyActor } from '../../access/actors.ts'
import { assertCanGrant } from '../../access/authority.ts'
import { assertCanGive } from '../../access/freshness.ts'
import { assertDomainAllowed } from '../../access/policies.ts'
import { findRolesById } from '../../access/roles.ts'
import type { Config } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import { findPage } from '../../database/paging.ts'
import type { Page } from '../../lib/paging.ts'
import { problem } from '../../problems.ts'
import { record } from '../audit/records.ts'
import { joinRequestSubject, memberSubject } from '../audit/subjects.ts'
import { companyParams, getCompanyContext, withCompanyLocale } from '../mail/outbox/company-context.ts'
import type { Recipient } from '../mail/outbox/emails.ts'
import { enqueueEmail } from '../mail/outbox/enqueue.ts'
import { adjustMemberCounters } from '../members/members.ts'
import { insertMembership } from '../members/new-membership.ts'
import { notifyOfAddedOwner } from '../ownership/notify-owners-changed.ts'
import { rolesGivenBy } from './join-roles.ts'
import type { Approval, JoinRequest, JoinRequestQuery } from './schemas.ts'

export async function listJoinRequests(
  tx: Tx,
  { sortBy, sortDir, ...page }: JoinRequestQuery,
): Promise<Page<JoinRequest>> {
  const pending = tx.selectFrom('join_requests').where('declined_at', 'is', null)
  const { items, total } = await findPage(pending, page, (requests, count) =>
    requests.select(COLUMNS).select(count.as('total')).orderBy(sortBy, sortDir).orderBy('id', sortDir),
  )
  return { items: items.map((row) => requestView(row, 'pending')), total }
}

/** Makes the account a member. It opens the company with its next request in it, as every member who was added. */
export async function approveJoinRequest(
  tx: Tx,
  actor: CompanyActor,
  requestId: string,
  config: Config,
  { roleIds }: Approval,
): Promise<JoinRequest> {
  const { request, account } = await lockPending(tx, requestId)
  const { roles, isOneUnknown } = roleIds
    ? await findRolesById(tx, roleIds)
    : { roles: await rolesGivenBy(tx, request.domain_id), isOneUnknown: false }
  assertCanGrant(actor, roles)
  await assertDomainAllowed(tx, account.email, 'invitation')
  if (isOneUnknown) throw problem('role_unknown')
  await assertCanGive(tx, actor, roles)

  await notifyOfAddedOwner(tx, actor, config, account, roles)
  await insertMembership(tx, account.id, roles, { added_by: actor.accountId })
  await record(tx, actor, 'join_requests.approve', memberSubject(account), {
    roles: { to: roles.map(({ name }) => name) },
  })
  await notifyRequester(tx, 'join_approved', account)
  await adjustMemberCounters(tx, { active: 1 })
  return requestView(request, 'approved')
}

/** The account can ask again after 30 days, when housekeeping has deleted the row. */
export async function declineJoinRequest(tx: Tx, actor: CompanyActor, requestId: string): Promise<JoinRequest> {
  const { request, account } = await lockPending(tx, requestId)

  await tx.updateTable('join_requests').set({ declined_at: sql<string>`now()` }).where('id', '=', requestId).execute()
  await record(tx, actor, 'join_requests.decline', joinRequestSubject(request))
  await notifyRequester(tx, 'join_declined', account)
  return requestView(request, 'declined')
}

const COLUMNS = ['id', 'account_id', 'email', 'name', 'domain_id', 'created_at'] as const

async function getPending(tx: Tx, requestId: string) {
  const request = await tx
    .selectFrom('join_requests')
    .select(COLUMNS)
    .where('id', '=', requestId)
    .where('declined_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  if (!request) throw problem('join_request_not_found')
  return request
}

type Row = Awaited<ReturnType<typeof getPending>>

/**
 * The account first: a change of its address, which ends the request, locks in this order, too. With both locked neither the
 * address nor its verification changes until the account is a member.
 */
async function lockPending(tx: Tx, requestId: string): Promise<{ request: Row; account: Recipient & { id: string } }> {
  const found = await tx.selectFrom('join_requests').select('account_id').where('id', '=', requestId).executeTakeFirst()
  if (!found) throw problem('join_request_not_found')
  const { rows } = await sql<Recipient & { id: string }>`
    select id, email, name, locale from find_account(${found.account_id}::uuid, null)`.execute(tx)
  const [account] = rows
  const request = await getPending(tx, requestId)
  if (!account) throw problem('join_request_not_found')
  return { request, account }
}

async function notifyRequester(tx: Tx, kind: 'join_approved' | 'join_declined', account: Recipient): Promise<void> {
  const company = await getCompanyContext(tx)
  await enqueueEmail(tx, kind, withCompanyLocale(account, company), companyParams(company))
}

const requestView = ({ id, account_id, name, email, created_at }: Row, status: JoinRequest['status']): JoinRequest => ({
  id,
  account: { id: account_id, name, email },
  status,
  created_at,
})
