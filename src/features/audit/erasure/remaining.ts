import { sql } from 'kysely'
import type { Database } from '../../../database/open.ts'
import { openReader } from '../chain/queries.ts'
import { isTarget, NAMING_ACTIONS, NAMING_TARGET_TYPES } from './find-companies.ts'

/** Records that name the person after an erasure. */
export interface Remaining {
  /** Sealed by release 0.2.0, whose hashes cover the values themselves. */
  version1: number
  /** Written meanwhile, or in a chain that is broken. */
  missed: number
}

export async function remainingIn(
  database: Database,
  companies: Iterable<string>,
  accountId: string,
  addresses: readonly string[],
): Promise<Remaining> {
  const remaining = { version1: 0, missed: 0 }
  for (const company of companies) {
    const { rows } = await sql<Remaining>`
      select count(*) filter (where is_version1)::int as version1, count(*) filter (where not is_version1)::int as missed
      from (${naming(accountId, addresses)}) naming`.execute(openReader(database, company))
    remaining.version1 += rows[0]?.version1 ?? 0
    remaining.missed += rows[0]?.missed ?? 0
  }
  return remaining
}

/** Each condition has an index. */
function naming(accountId: string, addresses: readonly string[]) {
  const mentions = sql`audit_address_appears(target_label, changes, ${addresses}::text[])`
  const sealed = sql`
    select id, v = 1 as is_version1 from audit_records where company_id = current_company() and seq is not null`
  return sql`
    ${sealed} and (v = 1 or actor_salt is not null) and actor_id = ${accountId}::uuid
    union ${sealed} and (v = 1 or target_salt is not null) and ${isTarget(accountId)}
    union ${sealed} and (v = 1 or target_salt is not null) and action = any (${NAMING_ACTIONS}::text[]) and ${mentions}
    union ${sealed} and (v = 1 or target_salt is not null) and target_type = any (${NAMING_TARGET_TYPES}::text[]) and ${mentions}
    union ${sealed} and (v = 1 or actor_salt is not null) and actor_id is null
      and lower(actor_email) = any (${addresses}::text[])
    union
    select id, false from audit_records
    where company_id = current_company() and seq is null
      and (actor_id = ${accountId}::uuid or (${isTarget(accountId)}) or lower(actor_email) = any (${addresses}::text[])
        or ${mentions})`
}
