import { sql } from 'kysely'
import type { Tx } from '../../database/open.ts'
import { inCompany } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import { type AuditActor, type Changes, record } from '../audit/records.ts'
import { companySubject } from '../audit/subjects.ts'
import { companyParams } from '../mail/outbox/company-context.ts'
import { notifyOwners } from '../members/notify-owners.ts'

type OperatorDeps = Pick<Deps, 'config' | 'database'>

/** What an operator says about an action on a company. */
export interface CompanyNote {
  /** For the audit log. */
  reason?: string | undefined
  /** Whether the owners are told by email. */
  notifies: boolean
}

/**
 * For an operator: from the commit on every request of its people is refused, but leaving it, and requests that came in before
 * wait for its lock and are refused as well. Workers go on. False: it was suspended before.
 */
export async function suspendCompany(
  { config, database }: OperatorDeps,
  operator: AuditActor,
  companyId: string,
  { reason, notifies }: CompanyNote,
): Promise<boolean> {
  return database.write(inCompany(companyId, ''), async (tx) => {
    const company = await lockCompany(tx, companyId)
    if (company.isSuspended) return false

    await tx.updateTable('companies').set({ suspended_at: sql`now()`, updated_at: sql`now()` }).execute()
    if (notifies && !company.isDeleted)
      await notifyOwners(tx, config, 'company_suspended', company, companyParams(company))
    await record(
      tx,
      operator,
      'companies.suspend',
      companySubject(company),
      statusChange('active', 'suspended', reason),
    )
    return true
  })
}

/** For an operator: everything is as it was before the company was suspended. False: it was not suspended. */
export async function resumeCompany(
  { config, database }: OperatorDeps,
  operator: AuditActor,
  companyId: string,
  { reason, notifies }: CompanyNote,
): Promise<boolean> {
  return database.write(inCompany(companyId, ''), async (tx) => {
    const company = await lockCompany(tx, companyId)
    if (!company.isSuspended) return false

    await tx.updateTable('companies').set({ suspended_at: null, updated_at: sql`now()` }).execute()
    if (notifies && !company.isDeleted)
      await notifyOwners(tx, config, 'company_resumed', company, companyParams(company))
    await record(tx, operator, 'companies.resume', companySubject(company), statusChange('suspended', 'active', reason))
    return true
  })
}

/** For an operator: restores a deleted company until its purge starts, suspended if it was. False: it was not deleted. */
export async function restoreDeletedCompany(
  { database }: OperatorDeps,
  operator: AuditActor,
  companyId: string,
  reason: string | undefined,
): Promise<boolean> {
  return database.write(inCompany(companyId, ''), async (tx) => {
    const company = await lockCompany(tx, companyId)
    if (!company.isDeleted) return false

    await tx.updateTable('companies').set({ deleted_at: null, updated_at: sql`now()` }).execute()
    const status = company.isSuspended ? 'suspended' : 'active'
    await record(tx, operator, 'companies.restore', companySubject(company), statusChange('deleted', status, reason))
    return true
  })
}

const statusChange = (from: string, to: string, reason: string | undefined): Changes => ({
  status: { from, to },
  ...(reason !== undefined && { reason: { to: reason } }),
})

/** A company whose purge has started is as good as gone. */
export async function lockCompany(tx: Tx, companyId: string) {
  const company = await tx
    .selectFrom('companies')
    .select(['id', 'name', 'locale', 'timezone', 'purge_started_at'])
    .select(sql<boolean>`suspended_at is not null`.as('isSuspended'))
    .select(sql<boolean>`deleted_at is not null`.as('isDeleted'))
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!company) throw new OperatorError('company_not_found', `There is no company ${companyId}.`)
  if (company.purge_started_at)
    throw new OperatorError(
      'company_purged',
      `The purge of company ${companyId} has started: restore it from a backup.`,
    )
  return company
}
