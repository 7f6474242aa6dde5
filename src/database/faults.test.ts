import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import {
  assertUnavailable,
  count,
  type Network,
  type OpenDatabase,
  openTestDatabase,
  reads,
  startNetwork,
  startSleeping,
} from '../../test/support/postgres.ts'
import type { Tx } from './open.ts'
import { asAnyone } from './scopes.ts'

let open: OpenDatabase
before(async () => {
  open = await openTestDatabase()
})
after(() => open.close())

const inTransaction = (work: (tx: Tx) => Promise<unknown>, database = open.database) => database.write(asAnyone, work)

describe('a backend that is killed', () => {
  const kill = (pid: number) => open.db.query('select pg_terminate_backend($1)', [pid])

  it('fails the statement under way with 503, and the next one works', async () => {
    const { done, pid } = await startSleeping(open.db, open.database.autocommit(asAnyone), 5)
    await kill(pid)
    await assertUnavailable(done)
    await reads(open.database)
  })

  it('fails the transaction under way with 503, and the next one works', async () => {
    const writing = inTransaction(async (tx) => {
      await count(tx, 'killed')
      const { done, pid } = await startSleeping(open.db, tx, 5)
      await kill(pid)
      await done
    })
    await assertUnavailable(writing)
    await inTransaction((tx) => count(tx, 'next'))
    const { rows } = await reads(open.database)
    assert.deepEqual(rows, [{ email: 'next' }])
  })

  it('while no statement is under way is noticed before the next one', async () => {
    await Promise.all([reads(open.database), inTransaction(() => reads(open.database))])
    await open.db.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'tenantry'`)
    await pause(50)
    await reads(open.database)
    await inTransaction((tx) => count(tx, 'after'))
  })
})

it('a server that has become read-only fails writes with 503 until a new connection reaches one that is not', async () => {
  const name = (open.db.target as { database: string }).database
  const makeReadOnly = (value: string) =>
    open.db.query(`alter database ${name} set default_transaction_read_only = ${value}`)
  const ways = [
    () => inTransaction((tx) => count(tx, 'read-only')),
    () => count(open.database.autocommit(asAnyone), 'read-only'),
  ]
  for (const way of ways) {
    await makeReadOnly('on')
    await open.db.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'tenantry'`)
    await pause(50)
    await assertUnavailable(way())
    await reads(open.database)
    await makeReadOnly('off')
    await way()
  }
})

describe('the network', () => {
  let network: Network
  let remote: OpenDatabase
  before(async () => {
    network = await startNetwork(open.db)
    remote = await openTestDatabase({ target: network.target, db: open.db })
  })
  after(async () => {
    await remote.close()
    await network.close()
  })
  const bothWork = () =>
    Promise.all([reads(remote.database), inTransaction((tx) => count(tx, 'remote'), remote.database)])

  it('that delivers nothing fails every request with 503 in about two seconds, until it delivers again', async () => {
    await bothWork()
    network.silence()
    for (let round = 0; round < 2; round++) {
      await Promise.all([
        ...Array.from({ length: 20 }, () => assertUnavailable(reads(remote.database))),
        ...Array.from({ length: 8 }, () =>
          assertUnavailable(inTransaction((tx) => count(tx, 'silent'), remote.database)),
        ),
      ])
    }
    network.resume()
    await bothWork()
    await bothWork()
  })

  it('that stops delivering during a transaction fails it with 503, and the next one works', async () => {
    const writing = inTransaction(async (tx) => {
      await count(tx, 'half')
      network.silence()
      await count(tx, 'done')
    }, remote.database)
    await assertUnavailable(writing)
    network.resume()
    await bothWork()
    const left = await open.db.query(`select email from password_attempts where email in ('half', 'done')`)
    assert.deepEqual(left, [])
  })

  it('that refuses connections fails requests with 503 at once, until it accepts them again', async () => {
    await bothWork()
    const { done } = await startSleeping(open.db, remote.database.autocommit(asAnyone), 5)
    await network.cut()
    await assertUnavailable(done)
    for (let i = 0; i < 10; i++) {
      await assertUnavailable(reads(remote.database))
      await assertUnavailable(inTransaction((tx) => count(tx, 'cut'), remote.database))
    }
    await network.listen()
    await bothWork()
  })

  it('that delivers nothing does not prevent the service from stopping', async () => {
    const other = await openTestDatabase({ target: network.target, db: open.db })
    await reads(other.database)
    await inTransaction((tx) => count(tx, 'other'), other.database)
    network.silence()
    const since = performance.now()
    await other.close()
    assert.ok(performance.now() - since < 10_000)
    network.resume()
  })
})
