import { sql } from 'kysely'
import type { CompanyActor } from '../../../access/actors.ts'
import { isoTime } from '../../../database/json.ts'
import type { Tx } from '../../../database/open.ts'
import type { Page } from '../../../lib/paging.ts'
import { assertCanReadMembers } from '../../roles/explain-permission.ts'
import type { ComplianceQuery, NonCompliantMember } from './schemas.ts'

const LAST_ACTIVE_AT = isoTime('found.last_active_at')

const columns = { name: 'name_folded', email: 'email', last_active_at: 'found.last_active_at' } as const

/** Active members whom the policy keeps out, and those who lack what it asks for. */
export async function listNonCompliant(
  tx: Tx,
  actor: CompanyActor,
  { lacks, sortBy, sortDir, page, limit }: ComplianceQuery,
): Promise<Page<NonCompliantMember>> {
  assertCanReadMembers(actor)
  const direction = sortDir === 'desc' ? sql`desc` : sql`asc`
  const { rows } = await sql<{ total: number; items: NonCompliantMember[] }>`
    with found as materialized (
      select * from policy_findings()
      where (closed_by is not null or lacks <> '{}') and (${lacks ?? null}::text is null or ${lacks ?? null} = any (lacks))),
    listed as (
      select account_id as id, name, email, lacks, closed_by as "closedBy",
        ${sql.raw(LAST_ACTIVE_AT)} as last_active_at
      from found join memberships using (account_id)
      order by ${sql.ref(columns[sortBy])} ${direction} nulls last, account_id ${direction}
      limit ${limit} offset ${(page - 1) * limit})
    select (select count(*) from found)::integer as total, coalesce((select json_agg(listed) from listed), '[]') as items`.execute(
    tx,
  )
  return rows[0] ?? { total: 0, items: [] }
}
