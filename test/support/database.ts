import { randomBytes } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import pg from 'pg'
import type { Target } from '../../src/database/connections.ts'

/** The server that scripts/test.ts has started. */
export interface TestServer {
  /** The folder of its socket. */
  host: string
  port: number
  /** The name of a migrated database to copy. */
  template: string
  /** The folder of its binaries, for tests that need a server of their own; undefined: those of the npm package. */
  binDir?: string
}

export function testServer(): TestServer {
  const json = process.env.TEST_SERVER
  if (!json) throw new Error('Tests need a server: run them by `npm test`, or one file by `npm test -- <file>`.')
  reportUse()
  return JSON.parse(json)
}

let isReported = false

/** Each test file runs in its own process; scripts/test.ts repeats those that are named here on the next server. */
function reportUse(): void {
  const users = process.env.TEST_SERVER_USERS
  if (!users || isReported) return
  isReported = true
  appendFileSync(users, `${process.argv[1]}\n`)
}

export interface TestDatabase {
  /** As the service connects: a plain role that owns its database. */
  target: Target
  /** Runs a statement as the superuser: to see what the service stores, and to age rows. */
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>
  /** Resolves when a statement of the service waits for a lock. Rejects after 5 seconds. */
  waitForLock(count?: number): Promise<void>
  /** Drops the database, with all connections to it. */
  drop(): Promise<void>
}

/** Makes a database for one test file: a copy of the migrated one, or an empty one. */
export async function createTestDatabase({ empty = false } = {}): Promise<TestDatabase> {
  const { host, port, template } = testServer()
  const name = `test_${randomBytes(6).toString('hex')}`
  const superuser = await connect({ host, port, user: 'postgres', database: 'postgres' })
  await superuser.query(`create database ${name} owner tenantry template ${empty ? 'template0' : template}`)
  const inside = await connect({ host, port, user: 'postgres', database: name })
  const ask = oneAfterAnother(inside)
  const watch = oneAfterAnother(superuser)
  return {
    target: { host, port, user: 'tenantry', database: name },
    async query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) {
      return (await ask(text, values)).rows as Row[]
    },
    async waitForLock(count = 1) {
      for (const deadline = Date.now() + 5000; Date.now() < deadline; ) {
        const { rows } = await watch(`select from pg_stat_activity where datname = $1 and wait_event_type = 'Lock'`, [
          name,
        ])
        if (rows.length >= count) return
      }
      throw new Error('No statement waited for a lock')
    },
    async drop() {
      await inside.end()
      await watch(`drop database ${name} with (force)`)
      await superuser.end()
    },
  }
}

/** Tests ask for several things at once, and from its next version on the driver queues nothing. */
function oneAfterAnother(client: pg.Client) {
  let last: Promise<unknown> = Promise.resolve()
  return async (text: string, values: unknown[] = []): Promise<pg.QueryResult> => {
    const before = last
    const { promise, resolve } = Promise.withResolvers<void>()
    last = promise
    await before
    try {
      // Awaited here, so that the stack of an error shows who asked.
      return await client.query(text, values)
    } finally {
      resolve()
    }
  }
}

async function connect(config: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(config)
  await client.connect()
  return client
}
