import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { type OpenDatabase, openTestDatabase, stateOf } from '../../test/support/postgres.ts'
import type { Tx } from './open.ts'
import { asAnyone } from './scopes.ts'

// What a pooler in transaction mode would see: connections that never set anything beyond a transaction.

let db: TestDatabase
let direct: OpenDatabase
let pooled: OpenDatabase
before(async () => {
  db = await createTestDatabase()
  direct = await openTestDatabase({ db })
  pooled = await openTestDatabase({ db, target: { ...db.target, isPooledByTransaction: true } })
})
after(async () => {
  await pooled.close()
  await direct.close()
  await db.drop()
})

const settingsIn = async (tx: Tx) =>
  (
    await sql`select current_user, name, setting from pg_settings where name in ('search_path', 'row_security', 'TimeZone',
      'DateStyle', 'IntervalStyle', 'standard_conforming_strings', 'jit', 'plan_cache_mode', 'statement_timeout',
      'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_isolation') order by name`.execute(tx)
  ).rows

it('a transaction has the same settings as on a connection of its own', async () => {
  const ways = [
    ({ database }: OpenDatabase) => settingsIn(database.autocommit(asAnyone)),
    ({ database }: OpenDatabase) => database.write(asAnyone, settingsIn),
  ]
  for (const way of ways) assert.deepEqual(await way(pooled), await way(direct))
})

it('a write of one statement has the shorter limits', async () => {
  const limits = ({ database }: OpenDatabase) =>
    sql`with asked as (select current_setting('statement_timeout') || current_setting('lock_timeout') as limits)
      select limits from asked`.execute(database.autocommit(asAnyone))
  assert.deepEqual((await limits(pooled)).rows, [{ limits: '200ms50ms' }])
})

it('nothing stays set between transactions', async () => {
  await pooled.database.autocommit(asAnyone).selectFrom('accounts').select('id').execute()
  const { role, statement_timeout } = await pooled.connections.shared(stateOf)
  assert.deepEqual({ role, statement_timeout }, { role: 'none', statement_timeout: '0' })
})
