import { sql } from 'kysely'
import { getMembership } from '../../access/memberships.ts'
import { likePattern } from '../../database/like.ts'
import type { Tx } from '../../database/open.ts'

const FOUND_MAX = 20

export interface FoundAccount {
  id: string
  name: string
  email: string
}

/** Accounts that the caller can see anyway, by a fragment; and whoever has exactly this address. */
export async function searchAccounts(tx: Tx, q: string): Promise<FoundAccount[]> {
  const { rows } = await sql<FoundAccount>`
    select id, name, email from search_accounts(${likePattern(q)}, ${q.toLowerCase()}, ${FOUND_MAX})`.execute(tx)
  return rows
}

export interface CompanyOfMember {
  id: string
  name: string
  slug: string
  roles: string[]
}

/** Only companies in which the caller may read members. */
export async function companiesOfMember(tx: Tx, userId: string): Promise<CompanyOfMember[]> {
  const { id } = await getMembership(tx, userId)
  const { rows } = await sql<CompanyOfMember>`select id, name, slug, roles from find_member_companies(${id})`.execute(
    tx,
  )
  return rows
}
