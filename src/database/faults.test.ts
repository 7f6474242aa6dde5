import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { Problem } from '../problems.ts'
import { problemFromDatabase } from './errors.ts'
import type { Tx } from './open.ts'
import { asAnyone, asWorker } from './tenancy.ts'
import { backendsRunning, type Network, type OpenDatabase, openTestDatabase, startNetwork, until } from './testing.ts'

let open: OpenDatabase
before(async () => {
  open = await openTestDatabase()
})
after(() => open.close())

const reads = (database = open.database) =>
  sql`select email from sign_in_attempts`.execute(database.autocommit(asAnyone))
const inTransaction = (work: (tx: Tx) => Promise<unknown>, database = open.database) => database.write(asAnyone, work)
const count = (tx: Tx, email: string) =>
  sql`insert into sign_in_attempts (email, failures) values (${email}, 1)
    on conflict (email) do update set failures = sign_in_attempts.failures + 1`.execute(tx)

/** More than twice what is promised: the machine of a test may be busy. */
const PATIENCE_MS = 5000

/** Asserts a refusal of 503 that comes soon and says when to come back. */
async function isUnavailable(work: Promise<unknown>): Promise<void> {
  const since = performance.now()
  await assert.rejects(work, (error) => {
    const told = error instanceof Problem ? error : problemFromDatabase(error)
    assert.equal(told?.code, 'database_unavailable', String(error))
    assert.ok(told.context.retryAfterSeconds)
    return true
  })
  assert.ok(performance.now() - since < PATIENCE_MS, `${Math.round(performance.now() - since)} ms`)
}

/** A statement that only ends by itself after `seconds`, and the backend that runs it. */
async function sleeping(tx: Tx, seconds: number): Promise<{ done: Promise<unknown>; pid: number }> {
  const text = `select pg_sleep(${seconds}), '${randomUUID()}'`
  const done = sql.raw(text).execute(tx)
  done.catch(() => {})
  await until(async () => (await backendsRunning(open.db, text)).length === 1)
  return { done, pid: (await backendsRunning(open.db, text))[0] as number }
}

describe('a backend that is killed', () => {
  const kill = (pid: number) => open.db.query('select pg_terminate_backend($1)', [pid])

  it('fails the statements under way with 503, and the next one works', async () => {
    const { done, pid } = await sleeping(open.database.autocommit(asAnyone), 5)
    await kill(pid)
    await isUnavailable(done)
    await reads()
  })

  it('fails the transaction under way with 503, and the next one works', async () => {
    const writing = inTransaction(async (tx) => {
      await count(tx, 'killed')
      const { done, pid } = await sleeping(tx, 5)
      await kill(pid)
      await done
    })
    await isUnavailable(writing)
    await inTransaction((tx) => count(tx, 'next'))
    const { rows } = await reads()
    assert.deepEqual(rows, [{ email: 'next' }])
  })

  it('while nothing is under way is noticed before the next statement', async () => {
    await Promise.all([reads(), inTransaction(reads.bind(null, open.database))])
    await open.db.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'tenantry'`)
    await pause(50)
    await reads()
    await inTransaction((tx) => count(tx, 'after'))
  })
})

it('a server that has become read-only means 503 for writes, until a new connection leads to one that is not', async () => {
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
    await isUnavailable(way())
    await reads()
    await makeReadOnly('off')
    await way()
  }
})

describe('prepared statements', () => {
  const alter = (type: string) =>
    open.db.query(`alter table known_things alter column kind type ${type} using kind::${type}`)
  before(() =>
    open.db.query(`create table known_things (kind integer); insert into known_things values (1);
      grant select, update on known_things to tenantry_account`),
  )

  it('follow a table that is altered under them, on every connection and in transactions', async () => {
    const read = (tx: Tx) => sql`select kind from known_things`.execute(tx)
    const write = (tx: Tx) => sql`update known_things set kind = kind returning kind`.execute(tx)
    const everything = () => [
      ...Array.from({ length: 50 }, () => read(open.database.autocommit(asAnyone))),
      ...Array.from({ length: 8 }, () => write(open.database.autocommit(asAnyone))),
      ...Array.from({ length: 8 }, () =>
        inTransaction(async (tx) => [await read(tx), await write(tx), await read(tx)]),
      ),
    ]
    for (const type of ['bigint', 'text', 'integer']) {
      await Promise.all(everything())
      await alter(type)
      await Promise.all(everything())
    }
  })

  it('work when two with one new text are under way and the first fails before it is prepared', async () => {
    for (let round = 0; round < 20; round++) {
      const text = sql.raw(`select email from sign_in_attempts where email <> '${randomUUID()}'`)
      const asNobody = open.database.autocommit({ role: 'nobody at all' as 'tenantry_tenant' })
      const [first, second] = await Promise.allSettled([
        text.execute(asNobody),
        text.execute(open.database.autocommit(asAnyone)),
      ])
      assert.deepEqual([first.status, second.status], ['rejected', 'fulfilled'])
    }
  })
})

it('a value that can’t be sent fails its own statement only', async () => {
  const send = (tx: Tx, value: unknown) => sql`select ${value}::jsonb as value`.execute(tx)
  const ways = [
    (value: unknown) => send(open.database.autocommit(asAnyone), value),
    (value: unknown) => send(open.database.autocommit(asWorker), value),
    (value: unknown) => inTransaction((tx) => send(tx, value)),
  ]
  for (const way of ways) {
    const beside = Array.from({ length: 10 }, () => reads())
    await assert.rejects(way({ size: 1n }), TypeError)
    await way({ size: 1 })
    await Promise.all(beside)
  }
})

describe('a limit in time', () => {
  it('ends a long statement alone, and none beside it', async () => {
    const { done } = await sleeping(open.database.autocommit(asAnyone), 10)
    const beside = Promise.all(Array.from({ length: 50 }, () => reads()))
    await isUnavailable(done)
    await assert.rejects(done, { code: STATEMENT_ENDED })
    await beside
  })

  it('leaves background work its time', async () => {
    const rest = (seconds: number) => sql`select pg_sleep(${seconds})`
    await Promise.all([
      rest(2.3).execute(open.database.autocommit(asWorker)),
      open.database.write(asWorker, (tx) => rest(2.3).execute(tx)),
      assert.rejects(rest(9).execute(open.database.autocommit(asWorker)), { code: STATEMENT_ENDED }),
    ])
  })

  it('ends a wait for a lock, and reads are not held up meanwhile', async () => {
    const email = randomUUID()
    await count(open.database.autocommit(asAnyone), email)
    const { release, done } = await hold((tx) => count(tx, email))
    const worker = sql`delete from sign_in_attempts where email = ${email}`.execute(open.database.autocommit(asWorker))
    const waiting = [...Array(5)].map(() => count(open.database.autocommit(asAnyone), email))
    const refused = Promise.all([worker, ...waiting].map(isUnavailable)).finally(release)
    await pause(50)
    await comesBefore(reads(), [worker, ...waiting])
    await assert.rejects(worker, { code: LOCK_NOT_AVAILABLE })
    await refused
    await done
  })

  it('ends the wait for a connection when all are taken, and reads go on', async () => {
    const held = await Promise.all([...Array(8)].map(() => hold((tx) => sql`select 1`.execute(tx))))
    const more = [...Array(20)].map(() => inTransaction((tx) => count(tx, 'x')))
    const refused = Promise.all(more.map(isUnavailable)).finally(() => {
      for (const { release } of held) release()
    })
    await comesBefore(reads(), more)
    await refused
    await Promise.all(held.map(({ done }) => done))
    await inTransaction((tx) => count(tx, 'x'))
  })

  it('is not spent behind another one’s slow statement', async () => {
    await reads()
    const slow = [...Array(5)].map(() => sql`select pg_sleep(1.4)`.execute(open.database.autocommit(asAnyone)))
    await pause(100)
    await comesBefore(Promise.all([...Array(200)].map(() => reads())), slow)
    await Promise.all(slow)
  })

  const LOCK_NOT_AVAILABLE = '55P03'
  const STATEMENT_ENDED = '57014'

  async function comesBefore(quick: Promise<unknown>, others: Promise<unknown>[]): Promise<void> {
    const earlier = await Promise.race([quick.then(() => 0), ...others.map((other) => other.then(Number, Number))])
    assert.equal(earlier, 0)
  }

  /** A transaction that stays open after this statement until it is released. */
  async function hold(statement: (tx: Tx) => Promise<unknown>) {
    const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const done = inTransaction(async (tx) => {
      await statement(tx)
      begun.resolve()
      await ended.promise
    })
    await begun.promise
    return { release: ended.resolve, done }
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

  it('that has gone silent means 503 within two seconds or so, for as long as it lasts and no longer', async () => {
    await bothWork()
    network.silence()
    for (let round = 0; round < 2; round++) {
      await Promise.all([
        ...Array.from({ length: 20 }, () => isUnavailable(reads(remote.database))),
        ...Array.from({ length: 8 }, () => isUnavailable(inTransaction((tx) => count(tx, 'silent'), remote.database))),
      ])
    }
    network.resume()
    await bothWork()
    await bothWork()
  })

  it('that falls silent during a transaction means 503, and the next one works', async () => {
    const writing = inTransaction(async (tx) => {
      await count(tx, 'half')
      network.silence()
      await count(tx, 'done')
    }, remote.database)
    await isUnavailable(writing)
    network.resume()
    await bothWork()
    const left = await open.db.query(`select email from sign_in_attempts where email in ('half', 'done')`)
    assert.deepEqual(left, [])
  })

  it('that refuses means 503 at once, and the next one works', async () => {
    await bothWork()
    const { done } = await sleeping(remote.database.autocommit(asAnyone), 5)
    await network.cut()
    await isUnavailable(done)
    for (let i = 0; i < 10; i++) {
      await isUnavailable(reads(remote.database))
      await isUnavailable(inTransaction((tx) => count(tx, 'cut'), remote.database))
    }
    await network.listen()
    await bothWork()
  })

  it('that is silent does not keep the service from stopping', async () => {
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
