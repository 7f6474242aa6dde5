import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, afterEach, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import {
  assertUnavailable,
  count,
  type OpenDatabase,
  openTestDatabase,
  reads,
  startSleeping,
} from '../../test/support/postgres.ts'
import type { Tx } from './open.ts'
import { asAccount, asAnyone, asWorker, inCompany } from './scopes.ts'
import type { Scope } from './statements.ts'

let open: OpenDatabase
before(async () => {
  open = await openTestDatabase()
})
after(() => open.close())
afterEach(() => open.db.query('delete from password_attempts'))

const inTransaction = (work: (tx: Tx) => Promise<unknown>) => open.database.write(asAnyone, work)

describe('a time limit', () => {
  it('ends a long statement and none of the parallel ones', async () => {
    const { done } = await startSleeping(open.db, open.database.autocommit(asAnyone), 10)
    const beside = Promise.all(Array.from({ length: 50 }, () => reads(open.database)))
    await assertUnavailable(done)
    await assert.rejects(done, { code: STATEMENT_ENDED })
    await beside
  })

  it('is longer for background work', async () => {
    const rest = (seconds: number) => sql`select pg_sleep(${seconds})`
    await Promise.all([
      rest(2.3).execute(open.database.autocommit(asWorker)),
      open.database.write(asWorker, (tx) => rest(2.3).execute(tx)),
      assert.rejects(rest(9).execute(open.database.autocommit(asWorker)), { code: STATEMENT_ENDED }),
    ])
  })

  it('ends the wait for a lock, which does not delay reads', async () => {
    const email = randomUUID()
    await count(open.database.autocommit(asAnyone), email)
    const { release, done } = await hold((tx) => count(tx, email))
    const worker = sql`delete from password_attempts where email = ${email}`.execute(open.database.autocommit(asWorker))
    const waiting = [...Array(5)].map(() => count(open.database.autocommit(asAnyone), email))
    const refused = Promise.all([worker, ...waiting].map(assertUnavailable)).finally(release)
    await pause(50)
    await comesBefore(reads(open.database), [worker, ...waiting])
    await assert.rejects(worker, { code: LOCK_NOT_AVAILABLE })
    await refused
    await done
  })

  it('ends the wait for a lock, which delays no writes of other rows', async () => {
    const locked = randomUUID()
    await count(open.database.autocommit(asAnyone), locked)
    const { release, done } = await hold((tx) => count(tx, locked))
    const waiting = [...Array(5)].map(() => count(open.database.autocommit(asAnyone), locked))
    const others = [...Array(20)].map(() => count(open.database.autocommit(asAnyone), randomUUID()))
    await comesBefore(Promise.all(others), waiting)
    release()
    await Promise.all([...waiting, done])
    const rows = await open.db.query('select failures from password_attempts where email = $1', [locked])
    assert.deepEqual(rows, [{ failures: 7 }])
  })

  it('ends the wait for a connection while all are in use, which does not delay reads', async () => {
    const holders = await Promise.all([...Array(8)].map(() => hold((tx) => sql`select 1`.execute(tx))))
    const more = [...Array(20)].map(() => inTransaction((tx) => count(tx, 'x')))
    const refused = Promise.all(more.map(assertUnavailable)).finally(() => {
      for (const { release } of holders) release()
    })
    await comesBefore(reads(open.database), more)
    await refused
    await Promise.all(holders.map(({ done }) => done))
    await inTransaction((tx) => count(tx, 'x'))
  })

  it('is not used up by the writes of another company, which gets three connections at most', async () => {
    const [acme, globex] = [inCompany(randomUUID(), ''), inCompany(randomUUID(), '')]
    const holders = await Promise.all([...Array(3)].map(() => hold((tx) => sql`select 1`.execute(tx), acme)))
    const begun: string[] = []
    const writing = (name: string, scope: Scope) =>
      open.database.write(scope, async (tx) => {
        begun.push(name)
        await sql`select 1`.execute(tx)
      })
    const waiting = ['first', 'second', 'third'].map((name) => writing(name, acme))
    waiting.push(sql`select 1`.execute(open.database.autocommit({ ...acme, slow: true })).then(() => {}))

    await Promise.all(['globex', 'globex', 'globex', 'globex'].map((name) => writing(name, globex)))
    await writing('public', asAnyone)
    holders[0]?.release()
    await Promise.all(waiting)
    for (const { release } of holders) release()
    await Promise.all(holders.map(({ done }) => done))
    assert.deepEqual(begun, ['globex', 'globex', 'globex', 'globex', 'public', 'first', 'second', 'third'])
  })

  it('is not used up by transactions, for a write of one statement', async () => {
    const holders = await Promise.all([...Array(8)].map(() => hold((tx) => sql`select 1`.execute(tx))))
    const writing = Promise.all([...Array(4)].map(() => count(open.database.autocommit(asAnyone), randomUUID())))
    await writing.finally(() => {
      for (const { release } of holders) release()
    })
    await Promise.all(holders.map(({ done }) => done))
  })

  it('is not used up by the waiting writes of one account', async () => {
    const email = randomUUID()
    await count(open.database.autocommit(asAnyone), email)
    const { release, done } = await hold((tx) => count(tx, email), asAccount(randomUUID()))
    const scope = asAccount(randomUUID())
    const waiting = [...Array(20)].map(() => count(open.database.autocommit(scope), email))
    const refused = Promise.all(waiting.map(assertUnavailable)).finally(release)
    await comesBefore(Promise.all([...Array(5)].map(() => inTransaction((tx) => count(tx, randomUUID())))), waiting)
    await comesBefore(
      Promise.all([...Array(10)].map(() => count(open.database.autocommit(asAnyone), randomUUID()))),
      waiting,
    )
    await refused
    await done
  })

  it('ends the wait of a company that uses all its connections, and no other wait', async () => {
    for (const scope of [inCompany(randomUUID(), ''), asAccount(randomUUID())]) {
      const holders = await Promise.all([...Array(3)].map(() => hold((tx) => sql`select 1`.execute(tx), scope)))
      const more = [...Array(20)].map(() => open.database.write(scope, (tx) => sql`select 1`.execute(tx)))
      const refused = Promise.all(more.map(assertUnavailable)).finally(() => {
        for (const { release } of holders) release()
      })
      await comesBefore(
        inTransaction((tx) => count(tx, 'x')),
        more,
      )
      await refused
      await Promise.all(holders.map(({ done }) => done))
      await open.database.write(scope, (tx) => sql`select 1`.execute(tx))
    }
  })

  it('is not used up by a slow statement of another request', async () => {
    await reads(open.database)
    const race = async () => {
      const slow = [...Array(5)].map(() => sql`select pg_sleep(1.4)`.execute(open.database.autocommit(asAnyone)))
      await pause(100)
      const isFirst = await isBefore(Promise.all([...Array(200)].map(() => reads(open.database))), slow)
      await Promise.all(slow)
      return isFirst
    }
    // A busy machine delays also what waits for nothing.
    const races: boolean[] = []
    while (races.length < 5 && !races.includes(true)) races.push(await race())
    assert.ok(races.includes(true))
  })

  const LOCK_NOT_AVAILABLE = '55P03'
  const STATEMENT_ENDED = '57014'

  async function comesBefore(quick: Promise<unknown>, others: Promise<unknown>[]): Promise<void> {
    assert.ok(await isBefore(quick, others))
  }

  const isBefore = (quick: Promise<unknown>, others: Promise<unknown>[]) => {
    const isLate = () => false
    return Promise.race([quick.then(() => true), ...others.map((other) => other.then(isLate, isLate))])
  }

  /** Begins a transaction with this statement. It stays open until `release` is called. */
  async function hold(statement: (tx: Tx) => Promise<unknown>, scope: Scope = asAnyone) {
    const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const done = open.database.write(scope, async (tx) => {
      await statement(tx)
      begun.resolve()
      await ended.promise
    })
    await begun.promise
    return { release: ended.resolve, done }
  }
})
