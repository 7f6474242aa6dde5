import { listOwners } from '../../../access/owners.ts'
import type { Config } from '../../../config/config.ts'
import type { Tx } from '../../../database/open.ts'
import { type CompanyContext, withCompanyLocale } from '../../mail/outbox/company-context.ts'
import type { EmailParams } from '../../mail/outbox/emails.ts'
import { enqueueEmailWithinLimits, noticeLimits } from '../../mail/outbox/enqueue.ts'

export const NOTICES_MAX = 100

export interface NamedCompany extends CompanyContext {
  id: string
}

export async function getNamedCompany(tx: Tx): Promise<NamedCompany> {
  return tx.selectFrom('companies').select(['id', 'name', 'locale', 'timezone']).executeTakeFirstOrThrow()
}

/** Sorted by address, as every set of emails is enqueued. */
export async function notifyOwners<Kind extends 'policy_loosened' | 'policy_reset'>(
  tx: Tx,
  { emailLimits }: Pick<Config, 'emailLimits'>,
  kind: Kind,
  company: NamedCompany,
  params: EmailParams[Kind],
): Promise<void> {
  const owners = await listOwners(tx, NOTICES_MAX)
  for (const owner of owners.sort((a, b) => (a.email < b.email ? -1 : 1)))
    await enqueueEmailWithinLimits(
      tx,
      noticeLimits(emailLimits, company.id),
      kind,
      withCompanyLocale(owner, company),
      params,
    )
}
