import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import type pg from 'pg'
import { type OpenDatabase, openTestDatabase, reads } from '../../test/support/postgres.ts'
import { Database, type Tx } from './open.ts'
import { asAnyone, asWorker, enterAccount } from './scopes.ts'
import { scopeSteps, send } from './statements.ts'

let open: OpenDatabase
before(async () => {
  open = await openTestDatabase()
})
after(() => open.close())

const inTransaction = (work: (tx: Tx) => Promise<unknown>) => open.database.write(asAnyone, work)

describe('prepared statements', () => {
  const alter = (type: string) =>
    open.db.query(`alter table known_things alter column kind type ${type} using kind::${type}`)
  before(() =>
    open.db.query(`create table known_things (kind integer); insert into known_things values (1);
      grant select, update on known_things to tenantry_account`),
  )

  it('keep working when their table is altered, on every connection and in transactions', async () => {
    const read = (tx: Tx) => sql<{ kind: unknown }>`select kind from known_things`.execute(tx)
    const write = (tx: Tx) => sql<{ kind: unknown }>`update known_things set kind = kind returning kind`.execute(tx)
    const everything = async () => {
      const results = await Promise.all([
        ...Array.from({ length: 50 }, () => read(open.database.autocommit(asAnyone))),
        ...Array.from({ length: 8 }, () => write(open.database.autocommit(asAnyone))),
        ...Array.from({ length: 8 }, () =>
          open.database.write(asAnyone, async (tx) => [await read(tx), await write(tx), await read(tx)]),
        ),
      ])
      return results.flat().flatMap(({ rows }) => rows)
    }
    for (const type of ['bigint', 'text', 'integer']) {
      await everything()
      await alter(type)
      for (const row of await everything()) assert.deepEqual(row, { kind: type === 'text' ? '1' : 1 })
    }
  })

  it('read their columns as their own connection described them, when a table is altered in between', async () => {
    const kind = { sql: 'select kind from known_things where $1', parameters: [true] }
    const [older, newer] = await Promise.all([open.connections.exclusive(), open.connections.exclusive()])
    const readBy = async (client: pg.ClientBase) =>
      (await send(client, kind, { steps: scopeSteps(asAnyone), slow: false })).rows
    assert.deepEqual(await readBy(older), [{ kind: 1 }])
    await alter('text')
    assert.deepEqual(await readBy(newer), [{ kind: '1' }])
    await assert.rejects(readBy(older), { routine: 'RevalidateCachedQuery' })
    assert.deepEqual(await readBy(older), [{ kind: '1' }])
    for (const client of [older, newer]) client.release()
    await alter('integer')
  })

  it('work when the first of two with the same new text fails before it is prepared', async () => {
    for (let round = 0; round < 20; round++) {
      const text = sql.raw(`select email from password_attempts where email <> '${randomUUID()}'`)
      const withUnknownRole = open.database.autocommit({ role: 'unknown_role' as 'tenantry_tenant' })
      const [first, second] = await Promise.allSettled([
        text.execute(withUnknownRole),
        text.execute(open.database.autocommit(asAnyone)),
      ])
      assert.deepEqual([first.status, second.status], ['rejected', 'fulfilled'])
    }
  })
})

it('a value that can’t be encoded fails its own statement only', async () => {
  const send = (tx: Tx, value: unknown) => sql`select ${value}::jsonb as value`.execute(tx)
  const ways = [
    (value: unknown) => send(open.database.autocommit(asAnyone), value),
    (value: unknown) => send(open.database.autocommit(asWorker), value),
    (value: unknown) => inTransaction((tx) => send(tx, value)),
  ]
  for (const way of ways) {
    const beside = Array.from({ length: 10 }, () => reads(open.database))
    await assert.rejects(way({ size: 1n }), TypeError)
    await way({ size: 1 })
    await Promise.all(beside)
  }
})

it('runs statements of a transaction that are sent together in the order of their calls', async () => {
  const account = sql<string>`current_setting('app.account_id')`.as('account')
  const inPlainSql = sql<{ account: string }>`select current_setting('app.account_id') as account`
  const ids = Array.from({ length: 10 }, () => randomUUID())
  const seen = await open.database.write(asAnyone, async (tx) => {
    const results = ids.map(async (id) => {
      const [, built, { rows }] = await Promise.all([
        enterAccount(tx, id),
        tx.selectNoFrom(account).execute(),
        inPlainSql.execute(tx),
      ])
      return [...built, ...rows].map((row) => row.account)
    })
    return Promise.all(results)
  })
  assert.deepEqual(
    seen,
    ids.map((id) => [id, id]),
  )
})

describe('a transaction whose first statement can’t be encoded', () => {
  const poolers = { directly: false, 'behind a pooler of transactions': true }
  for (const [name, isPooledByTransaction] of Object.entries(poolers)) {
    it(`runs none of those that follow, ${name}`, async () => {
      const database = new Database({ ...open.db.target, isPooledByTransaction })
      const follow = (tx: Tx) => sql`select current_user`.execute(tx)
      const first = (tx: Tx) => sql`select ${{ size: 1n }}::jsonb`.execute(tx)
      try {
        const seen: string[] = []
        const sendTwo = async (tx: Tx) => {
          const results = await Promise.allSettled([first(tx), follow(tx)])
          const later = await Promise.allSettled([follow(tx)])
          seen.push(...[...results, ...later].map(({ status }) => status))
        }
        await assert.rejects(database.write(asAnyone, sendTwo))
        assert.deepEqual(seen, ['rejected', 'rejected', 'rejected'])
        const { rows } = await database.write(asAnyone, follow)
        assert.deepEqual(rows, [{ current_user: 'tenantry_account' }])
      } finally {
        await database.close()
      }
    })
  }
})

describe('a connection that something in between has reset', () => {
  const ways = {
    shared: (reset: Reset) => open.connections.shared(reset),
    exclusive: async (reset: Reset) => {
      const client = await open.connections.exclusive()
      await reset(client).finally(() => client.release())
    },
  }
  type Reset = (client: pg.ClientBase) => Promise<unknown>

  for (const command of ['discard all', 'deallocate all']) {
    it(`by ${command} is replaced, and the statement runs on another one`, async () => {
      const role = sql<{ role: string }>`select current_user as role`
      const read = () => role.execute(open.database.autocommit(asAnyone))
      const write = () => inTransaction((tx) => role.execute(tx)) as ReturnType<typeof read>
      for (const use of [read, write]) await use()
      await ways.shared((client) => client.query(command))
      await ways.exclusive((client) => client.query(command))
      for (const use of [read, write]) assert.deepEqual((await use()).rows, [{ role: 'tenantry_account' }])
    })
  }
})
