import { sql } from 'kysely'
import { IS_OPENED } from '../../../access/sessions.ts'
import type { Tx } from '../../../database/open.ts'
import { statement } from '../../../database/queries.ts'
import { problem } from '../../../problems.ts'
import type { RequiringCompany } from './schemas.ts'

/**
 * The companies whose policy asks the account for a second factor now. Only those that it has opened: a company that adds an account
 * without its consent has no hold on it.
 */
export async function findRequiringCompanies(tx: Tx, accountId: string): Promise<RequiringCompany[]> {
  return findRequiring(tx, accountId)
}

const REQUIRING = `
  select own.company_id as id, own.company_name as name
  from usable_memberships own join accounts on accounts.id = own.account_id
  where own.account_id = $1 and ${IS_OPENED} and asks_second_factor(own.company, own.grants, now())
  order by own.company_name, own.company_id`
const findRequiring = statement<RequiringCompany, [accountId: string]>(REQUIRING)

/**
 * Those that the account is an owner of, before it is locked. A company that begins to ask after this locks its owners' accounts, and asks for
 * no more than they have by then.
 */
export async function lockRequiringCompanies(tx: Tx): Promise<void> {
  await sql`select lock_requiring_companies()`.execute(tx)
}

/** Throws where the last factor must stay. The companies and the account are locked. */
export async function assertFactorNotRequired(tx: Tx, accountId: string): Promise<void> {
  const companies = await findRequiringCompanies(tx, accountId)
  if (companies.length > 0) throw problem('factor_required')
}
