import type { Config } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import { type AuditActor, record } from '../audit/records.ts'
import { domainSubject } from '../audit/subjects.ts'
import { companyParams } from '../mail/outbox/company-context.ts'
import { notifyOwners } from '../members/notify-owners.ts'

/** The service itself: it checks domains by the clock, and a company learns nothing about the one that got its domain. */
const SERVICE: AuditActor = { kind: 'service', ip: null, userAgent: '', requestId: '' }

/** After a domain of the current company has lapsed: its owners are told, unless the company is deleted, and its log has it. */
export async function noteLapse(
  tx: Tx,
  config: Config,
  domain: { id: string; name: string },
  reason: 'record missing' | 'verified by another company',
): Promise<void> {
  const company = await tx
    .selectFrom('companies')
    .select(['id', 'name', 'locale', 'timezone', 'deleted_at'])
    .executeTakeFirstOrThrow()
  const kind = reason === 'record missing' ? 'domain_lapsed' : 'domain_moved'
  if (company.deleted_at === null)
    await notifyOwners(tx, config, kind, company, { ...companyParams(company), domain: domain.name })
  await record(tx, SERVICE, 'domains.lapse', domainSubject(domain), {
    status: { from: 'verified', to: 'lapsed' },
    reason: { to: reason },
  })
}
