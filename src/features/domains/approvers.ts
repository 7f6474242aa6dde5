import { sql } from 'kysely'
import type { Permission } from '../../access/permissions.ts'
import type { Config } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import { type CompanyContext, companyParams, withCompanyLocale } from '../mail/outbox/company-context.ts'
import type { Recipient } from '../mail/outbox/emails.ts'
import { enqueueEmailWithinLimits } from '../mail/outbox/enqueue.ts'

const APPROVERS_NOTIFIED_MAX = 5
const APPROVING: Permission = 'users:create'

/**
 * Some of the members who can let people in. The email may be withheld: a person who asks and cancels again and again can’t
 * flood them, and the list has every request.
 */
export async function notifyApprovers(
  tx: Tx,
  { emailLimits: { perRecipient, perMailbox } }: Config,
  kind: 'join_requested' | 'joined_by_domain',
  company: CompanyContext,
  person: { name: string; email: string },
): Promise<void> {
  const limits = { perRecipient, perMailbox, sender: { companyId: company.id } }
  const params = { ...companyParams(company), person: person.name, email: person.email }
  const approvers = await listApprovers(tx)
  for (const approver of approvers.sort((a, b) => (a.email < b.email ? -1 : 1)))
    await enqueueEmailWithinLimits(tx, limits, kind, withCompanyLocale(approver, company), params)
}

/** Gathered by their roles first, because otherwise the planner may walk all members of a large company. */
async function listApprovers(tx: Tx): Promise<Recipient[]> {
  const { rows } = await sql<Recipient>`
    with approvers as materialized (
      select membership_roles.account_id
      from membership_roles
      cross join lateral (
        select from memberships
        where memberships.account_id = membership_roles.account_id
          and memberships.status = 'active' and memberships.opened_at is not null offset 0
      ) open
      where role_id = any (array(select id from roles where ${APPROVING} = any (permissions)))
      limit ${sql.lit(2 * APPROVERS_NOTIFIED_MAX)})
    select accounts.email, accounts.name, accounts.locale
    from (select distinct account_id from approvers) as approvers join accounts on accounts.id = approvers.account_id
    where accounts.disabled_at is null
    limit ${sql.lit(APPROVERS_NOTIFIED_MAX)}`.execute(tx)
  return rows
}
