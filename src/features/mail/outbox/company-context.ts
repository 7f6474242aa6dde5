import type { Tx } from '../../../database/open.ts'

/** What an email that a company causes needs to know of it. */
export interface CompanyContext {
  name: string
  locale: string
  timezone: string
}

export async function getCompanyContext(tx: Tx): Promise<CompanyContext> {
  return tx.selectFrom('companies').select(['name', 'locale', 'timezone']).executeTakeFirstOrThrow()
}

/** A recipient without a language of their own is written to in the company's. */
export const withCompanyLocale = <Recipient extends { locale: string }>(
  recipient: Recipient,
  { locale }: CompanyContext,
): Recipient => ({ ...recipient, locale: recipient.locale || locale })
