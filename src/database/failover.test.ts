import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { startFaultProxy } from '../../test/faults/proxy.ts'
import { testServer } from '../../test/support/database.ts'
import { assertUnavailable, type Network, startNetwork } from '../../test/support/postgres.ts'
import { until } from '../../test/support/until.ts'
import { type Embedded, startEmbedded } from './embedded/embedded.ts'
import { UnreplicatedCommitError } from './errors.ts'
import { claimKey } from './idempotency.ts'
import { readMigrations } from './migration-files.ts'
import { Database, type Tx } from './open.ts'
import { rolesSql } from './roles.ts'
import { asAnyone } from './scopes.ts'

const PORT = 5432
const folder = mkdtempSync(path.join(tmpdir(), 'tenantry-failover-'))
let former: Embedded
/** A copy of it that was promoted, so that it is on the next timeline. */
let promoted: Embedded

const start = (name: string, settings: Record<string, string> = {}) => {
  const { binDir } = testServer()
  const dataDir = path.join(folder, name)
  return startEmbedded({ dataDir, settings: { fsync: 'off', ...settings }, ...(binDir && { binDir }) })
}

async function query(server: Embedded, text: string, database = 'tenantry'): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ ...server.superuser, database })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

before(async () => {
  former = await start('former')
  await query(former, rolesSql({ user: 'tenantry', database: 'tenantry' }), 'postgres')
  await query(
    former,
    `create table things (name text); insert into things values ('former');
    grant select, insert on things to tenantry_account;
    alter role tenantry set client_min_messages = 'error'`,
  )
  await former.stop()
  execFileSync('cp', ['-a', path.join(folder, 'former'), path.join(folder, 'promoted')])
  writeFileSync(path.join(folder, 'promoted', 'postgres', 'recovery.signal'), '')
  former = await start('former')
  promoted = await start('promoted', { restore_command: 'false' })
  // It accepts connections before its recovery has ended.
  await until(async () => !(await query(promoted, 'select pg_is_in_recovery() as recovers'))[0]?.recovers)
  await query(promoted, `update things set name = 'promoted'`)
})
after(async () => {
  await former.stop()
  await promoted.stop()
  rmSync(folder, { recursive: true })
})

const readIn = async (tx: Tx) => (await sql<{ name: string }>`select name from things`.execute(tx)).rows[0]?.name
/** On a shared connection, and on one of its own. */
const read = (database: Database) => readIn(database.autocommit(asAnyone))
const readAlone = (database: Database) => database.write(asAnyone, readIn)
const networkOf = (server: Embedded) =>
  startNetwork({ target: server.connection }, { host: server.connection.host as string, port: PORT })
const addressOf = ({ target }: Network) => new URL((target as { connectionString: string }).connectionString)

describe('a former primary that does not know of the next one', () => {
  let toFormer: Network
  let toPromoted: Network
  before(async () => {
    toFormer = await networkOf(former)
    toPromoted = await networkOf(promoted)
  })
  after(async () => {
    await toFormer.close()
    await toPromoted.close()
  })

  it('is not used again, by open connections either, when several hosts are named', async () => {
    const database = new Database({
      connectionString: `postgres://tenantry@${addressOf(toFormer).host},${addressOf(toPromoted).host}/tenantry`,
    })
    try {
      await toPromoted.cut()
      assert.deepEqual([await read(database), await readAlone(database)], ['former', 'former'])

      toFormer.silence()
      await toPromoted.listen()
      await until(async () => (await read(database).catch(() => '')) === 'promoted')
      toFormer.resume()
      assert.deepEqual([await readAlone(database), await read(database)], ['promoted', 'promoted'])

      await toPromoted.cut()
      await assertUnavailable(read(database))
      await assertUnavailable(readAlone(database))
      await toPromoted.listen()
      assert.deepEqual([await read(database), await readAlone(database)], ['promoted', 'promoted'])
    } finally {
      toFormer.resume()
      await database.close()
    }
  })

  it('is not used again behind a proxy that leads there', async () => {
    let port = addressOf(toPromoted).port
    const proxy = await startFaultProxy(() => Number(port))
    const database = new Database({ connectionString: `postgres://tenantry@127.0.0.1:${proxy.port}/tenantry` })
    try {
      assert.equal(await read(database), 'promoted')
      port = addressOf(toFormer).port
      await assertUnavailable(readAlone(database))
      assert.equal(await read(database), 'promoted')
    } finally {
      await database.close()
      await proxy.close()
    }
  })
})

describe('a commit that waits for its synchronous standby', () => {
  const waiting = async () =>
    (await query(former, `select pid from pg_stat_activity where wait_event = 'SyncRep'`)).map(({ pid }) => pid)
  const setStandby = async (name: string) => {
    await query(former, `alter system set synchronous_standby_names = '${name}'`)
    await query(former, 'select pg_reload_conf()')
    await until(async () => {
      const [row] = await query(former, 'show synchronous_standby_names')
      return row?.synchronous_standby_names === name
    })
  }
  const insertIn = (tx: Tx) => sql`with added as (insert into things values ('waits')) select`.execute(tx)
  const ways: Record<string, (database: Database) => Promise<unknown>> = {
    'a transaction': (database) => database.write(asAnyone, insertIn),
    'a statement': (database) => insertIn(database.autocommit(asAnyone)),
  }

  it('lets no repeated request be answered before it', async () => {
    await query(former, readMigrations().find(({ name }) => name === '0010_idempotency.sql')?.sql as string)
    await query(former, `insert into idempotent_requests values ('\\x01', '\\x02', 201, '\\x03', now())`)
    const database = new Database(former.connection)
    const tx = database.autocommit(asAnyone)
    const claim = () => claimKey(tx, Buffer.from([1]), Buffer.from([2]), { leaseSeconds: 1, lifetimeHours: 24 })
    try {
      assert.equal(await claim(), undefined)
      await setStandby('missing')
      await assertUnavailable(claim())
    } finally {
      await setStandby('')
      await database.close()
    }
  })

  for (const [name, write] of Object.entries(ways))
    it(`is not taken for done when the wait is canceled: ${name}`, async () => {
      const database = new Database(former.connection)
      try {
        await setStandby('missing')
        const written = assert.rejects(write(database), UnreplicatedCommitError)
        await until(async () => (await waiting()).length > 0)
        const [pid] = await waiting()
        await query(former, `set synchronous_commit = local; select pg_cancel_backend(${pid})`)
        await written
        await setStandby('')
        await write(database)
      } finally {
        await setStandby('')
        await database.close()
      }
    })
})
