import { sql } from 'kysely'
import { getMembership } from '../../access/memberships.ts'
import type { SessionCaller } from '../../access/sessions.ts'
import { likePattern } from '../../database/like.ts'
import type { Tx } from '../../database/open.ts'
import type { AccountSummary } from '../accounts/schemas.ts'
import type { CompanyOfMember } from './schemas.ts'

const FOUND_MAX = 20

/** Accounts that the caller can see anyway match by a fragment, all others by their exact address. */
export async function searchAccounts(tx: Tx, { sessionId, ip }: SessionCaller, q: string): Promise<AccountSummary[]> {
  const { rows } = await sql<AccountSummary>`
    select id, name, email
    from search_accounts(${likePattern(q)}, ${q.toLowerCase()}, ${FOUND_MAX}, ${sessionId}, ${ip})`.execute(tx)
  return rows
}

/** Only companies in which the caller may read members, and that let the session in. */
export async function companiesOfMember(
  tx: Tx,
  { sessionId, ip }: SessionCaller,
  userId: string,
): Promise<CompanyOfMember[]> {
  const { id } = await getMembership(tx, userId)
  const { rows } = await sql<CompanyOfMember>`
    select id, name, slug, roles from find_member_companies(${id}, ${sessionId}, ${ip})`.execute(tx)
  return rows
}
