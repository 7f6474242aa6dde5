import { sql } from 'kysely'
import type { Database, Tx } from '../../src/database/open.ts'
import type { Scope } from '../../src/database/statements.ts'
import type { TestDatabase } from './database.ts'

/** The column `name` of the rows of a query, such as tables or roles of the system catalog. */
export async function names(db: TestDatabase, text: string, values: unknown[] = []): Promise<string[]> {
  return (await db.query<{ name: string }>(text, values)).map(({ name }) => name)
}

/** Tables and views with rows of companies. */
const relationsOfCompanies = (db: TestDatabase, kinds: string) =>
  names(
    db,
    `select relname as name from pg_class join pg_attribute on attrelid = pg_class.oid
     where relnamespace = 'public'::regnamespace and relkind::text = any ($1)
       and attname = 'company_id' and not attisdropped order by 1`,
    [Array.from(kinds)],
  )

export const tablesOfCompanies = (db: TestDatabase) => relationsOfCompanies(db, 'rpmf')

export const viewsOfCompanies = (db: TestDatabase) => relationsOfCompanies(db, 'v')

export const codeOf = (error: unknown) => (error as { code?: string }).code

const INSUFFICIENT_PRIVILEGE = '42501'

/** The number of rows that a statement finds or changes in a scope, or that it is refused. `?` stands for a value. */
export async function outcome(
  database: Database,
  scope: Scope,
  text: string,
  ...values: string[]
): Promise<number | 'refused'> {
  const parts = text.split('?').map((part) => sql.raw(part))
  const statement = parts.slice(1).reduce((left, part, index) => sql`${left}${values[index]}${part}`, parts[0] ?? sql``)
  const work = async (tx: Tx) => {
    const { rows, numAffectedRows } = await statement.execute(tx)
    return numAffectedRows === undefined ? rows.length : Number(numAffectedRows)
  }
  return database.write(scope, work).catch((error) => {
    if (codeOf(error) === INSUFFICIENT_PRIVILEGE) return 'refused'
    throw error
  })
}
