import { randomBytes } from 'node:crypto'
import pg from 'pg'
import type { Target } from '../../src/database/connections.ts'

/** Where scripts/test.ts has started a server, with a migrated database to copy. */
export interface TestServer {
  host: string
  port: number
  template: string
  /** The folder of its programs, for tests that need a server of their own; undefined: the embedded one. */
  programs?: string
}

export function testServer(): TestServer {
  const told = process.env.TEST_SERVER
  if (!told) throw new Error('Run tests by `npm test`, or one file by `npm test -- <file>`: they need a server.')
  return JSON.parse(told)
}

export interface TestDatabase {
  /** As the service connects: a plain role that owns its database. */
  target: Target
  /** As the superuser, for looking behind the service's back and for letting time pass. */
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>
  /** Until some statement of the service waits for a lock. */
  waitForLock(): Promise<void>
  drop(): Promise<void>
}

/** A database of its own, migrated. */
export async function createTestDatabase({ empty = false } = {}): Promise<TestDatabase> {
  const { host, port, template } = testServer()
  const name = `test_${randomBytes(6).toString('hex')}`
  const administrator = await connect({ host, port, user: 'postgres', database: 'postgres' })
  await administrator.query(`create database ${name} owner tenantry template ${empty ? 'template0' : template}`)
  const inside = await connect({ host, port, user: 'postgres', database: name })
  return {
    target: { host, port, user: 'tenantry', database: name },
    async query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) {
      return (await inside.query<Row>(text, values)).rows
    },
    async waitForLock() {
      for (const deadline = Date.now() + 5000; Date.now() < deadline; ) {
        const { rows } = await administrator.query(
          `select from pg_stat_activity where datname = $1 and wait_event_type = 'Lock'`,
          [name],
        )
        if (rows.length > 0) return
      }
      throw new Error('No statement waited for a lock')
    },
    async drop() {
      await inside.end()
      await administrator.query(`drop database ${name} with (force)`)
      await administrator.end()
    },
  }
}

async function connect(config: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client(config)
  await client.connect()
  return client
}
