import { sql } from 'kysely'
import type { Database, Tx } from '../../database/open.ts'
import { asWorker, inCompany } from '../../database/scopes.ts'
import { exchangeRoles } from '../members/exchange-roles.ts'
import { BEFORE_ALL } from './role-members.ts'
import type { RoleView } from './roles.ts'

/** So many members get the other role in the transaction of the deletion; of more the worker takes care. */
const MEMBERS_AT_ONCE = 500

/**
 * From now on the role gives its members what `replacement` gives, and is hidden: a trigger of the database copies that.
 * The rows of the members follow, at once or by and by. Needs the company’s lock.
 */
export async function replaceRole(tx: Tx, { id, memberCount }: RoleView, replacement: { id: string }): Promise<void> {
  await countReplacedMembers(tx, id, replacement.id)
  await tx.updateTable('roles').set({ replaced_by: replacement.id }).where('id', '=', id).execute()
  if (memberCount <= MEMBERS_AT_ONCE) await exchangeOnce(tx, id, replacement.id, MEMBERS_AT_ONCE)
}

/** Bounds the time of each statement, however many members the role has. */
const COUNTED_AT_ONCE = 25_000

async function countReplacedMembers(tx: Tx, from: string, to: string): Promise<void> {
  const countNext = (after: string) =>
    sql<{ last: string | null }>`
      select count_replaced_members(${from}, ${to}, ${after}, ${COUNTED_AT_ONCE}) as last`.execute(tx)
  for (let after: string | null = BEFORE_ALL; after !== null; ) after = (await countNext(after)).rows[0]?.last ?? null
}

/** Deletes the replaced role when no more member has it. */
async function exchangeOnce(tx: Tx, from: string, to: string, membersMax: number): Promise<void> {
  const exchanged = await exchangeRoles(tx, { from, to, membersMax })
  if (exchanged < membersMax) await tx.deleteFrom('roles').where('id', '=', from).execute()
}

export interface Rewriting {
  signal: AbortSignal
  onFailure(error: Error, companyId: string): void
  membersAtOnce?: number
}

/**
 * For the worker: gives members their replacement role in short transactions, so that requests of the company wait for
 * none of them long. The next round continues what a stopped worker has left: no request can tell the
 * difference meanwhile.
 */
export async function rewriteReplacedRoles(database: Database, rewriting: Rewriting): Promise<void> {
  const { signal, onFailure, membersAtOnce = MEMBERS_AT_ONCE } = rewriting
  const { rows } = await database.write(asWorker, (tx) =>
    sql<{ id: string }>`select id from companies_with_replaced_roles() as id`.execute(tx),
  )
  for (const { id } of rows) {
    try {
      while (!signal.aborted && (await rewriteSome(database, id, membersAtOnce)));
    } catch (error) {
      onFailure(error as Error, id)
    }
  }
}

/** False: nothing is left to do, or another worker does it. */
async function rewriteSome(database: Database, companyId: string, membersMax: number): Promise<boolean> {
  return database.write({ ...inCompany(companyId, ''), slow: true }, async (tx) => {
    if (!(await becomeOnlyWorker(tx)) || !(await lockCompany(tx))) return false
    const replaced = await tx
      .selectFrom('roles')
      .select(['id', 'replaced_by'])
      .where('replaced_by', 'is not', null)
      .limit(sql.lit(1))
      .executeTakeFirst()
    if (replaced) await exchangeOnce(tx, replaced.id, replaced.replaced_by as string, membersMax)
    return replaced !== undefined
  })
}

/** Until the transaction ends. Two workers would only wait for each other, and requests for both. */
async function becomeOnlyWorker(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ isOnly: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended('replaced roles of ' || current_company(), 0)) as "isOnly"`.execute(
    tx,
  )
  return rows[0]?.isOnly === true
}

/** As every write does that changes who holds what. A deleted company counts, because it may be restored, until its purge. */
async function lockCompany(tx: Tx): Promise<boolean> {
  const company = await tx
    .selectFrom('companies')
    .select('id')
    .where('purge_started_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return company !== undefined
}
