import { sql } from 'kysely'
import { likePattern } from '../../database/like.ts'
import type { Database } from '../../database/open.ts'
import { asWorker } from '../../database/scopes.ts'
import { isUuid, NIL_UUID } from '../../lib/ids.ts'
import type { Company } from './schemas.ts'

/** A company as operators see it. */
export interface CompanySummary {
  id: string
  name: string
  slug: string
  status: Company['status']
  members: number
  createdAt: string
  suspendedAt: string | null
  deletedAt: string | null
  /** Null: it is not deleted. */
  restorableUntil: string | null
}

interface CompanyFilter {
  search?: string | undefined
  status?: Company['status'] | undefined
}

const COLUMNS = sql.raw(`id, name, slug, status, members, created_at as "createdAt", suspended_at as "suspendedAt",
  deleted_at as "deletedAt", restorable_until as "restorableUntil"`)

/** Companies of the whole service in the order in which they were created. `after`: the id of the last one seen. */
export async function findCompanies(
  database: Database,
  { search, status }: CompanyFilter,
  { after = NIL_UUID, limit }: { after?: string; limit: number },
): Promise<CompanySummary[]> {
  const pattern = search === undefined ? null : likePattern(search)
  const { rows } = await sql<CompanySummary>`
    select ${COLUMNS} from find_companies(null, null, ${pattern}::text, ${status ?? null}::text, ${after}::uuid, ${limit})`.execute(
    database.autocommit(asWorker),
  )
  return rows
}

/**
 * The company with this id or slug. A text that can be an id is nothing else: a company may choose the id of another one as
 * its slug, and must not be found in its place.
 */
export async function findCompany(database: Database, text: string): Promise<CompanySummary | undefined> {
  const key = text.trim().toLowerCase()
  const [id, slug] = isUuid(key) ? [key, null] : [null, key]
  const { rows } = await sql<CompanySummary>`
    select ${COLUMNS} from find_companies(${id}::uuid, ${slug}::text, null, null, ${NIL_UUID}::uuid, 1)`.execute(
    database.autocommit(asWorker),
  )
  return rows[0]
}
