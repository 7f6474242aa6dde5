import type { CompanyActor } from '../../../access/actors.ts'
import type { Tx } from '../../../database/open.ts'
import type { AddingMember, CompanyParams } from './emails.ts'

/** What an email that a company causes needs to know of it. */
export interface CompanyContext {
  id: string
  name: string
  locale: string
  timezone: string
}

export async function getCompanyContext(tx: Tx): Promise<CompanyContext> {
  return tx.selectFrom('companies').select(['id', 'name', 'locale', 'timezone']).executeTakeFirstOrThrow()
}

/** A recipient without a language of their own is written to in the company's. */
export const withCompanyLocale = <Recipient extends { locale: string }>(
  recipient: Recipient,
  { locale }: CompanyContext,
): Recipient => ({ ...recipient, locale: recipient.locale || locale })

/** For an email whose button opens the company. */
export const companyParams = ({ id, name }: Pick<CompanyContext, 'id' | 'name'>): CompanyParams => ({
  company: name,
  companyId: id,
})

/** For an email to a person whom this member adds, who is to know whether to open the company. */
export const addedBy = ({ name, email, isVerified }: CompanyActor): AddingMember => ({
  by: name,
  byEmail: email,
  verified: isVerified === false ? 'no' : '',
})
