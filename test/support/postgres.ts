import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import net, { type AddressInfo } from 'node:net'
import { sql } from 'kysely'
import type pg from 'pg'
import { type Connections, connect } from '../../src/database/connections.ts'
import { problemFromDatabase } from '../../src/database/errors.ts'
import { Database, type Tx } from '../../src/database/open.ts'
import { asAnyone } from '../../src/database/scopes.ts'
import type { Target } from '../../src/database/session.ts'
import { Problem } from '../../src/problems.ts'
import { createTestDatabase, type TestDatabase, testServer } from './database.ts'
import { until } from './until.ts'

/** A database with the connections below it at hand, to look at what a use of them leaves behind. */
export interface OpenDatabase {
  db: TestDatabase
  database: Database
  connections: Connections
  close(): Promise<void>
}

export async function openTestDatabase(options: { target?: Target; db?: TestDatabase } = {}): Promise<OpenDatabase> {
  const db = options.db ?? (await createTestDatabase())
  const target = options.target ?? db.target
  const connections = connect(target)
  const database = new Database(target, connections)
  return {
    db,
    database,
    connections,
    async close() {
      await database.close()
      if (!options.db) await db.drop()
    },
  }
}

export interface SeededCompany {
  id: string
  ownerId: string
  ownerRoleId: string
}

/** A company with its Owner, written past the service. */
export async function seedCompany(db: TestDatabase, name = `company-${randomUUID()}`): Promise<SeededCompany> {
  const [id, ownerId, ownerRoleId] = [randomUUID(), randomUUID(), randomUUID()]
  await db.query(`
    insert into accounts (id, email, name) values ('${ownerId}', '${name}@example.com', '${name}');
    insert into companies (id, name, slug, tax_id) values ('${id}', '${name}', '${name}', 'T');
    insert into roles (company_id, id, name, name_folded, permissions, system_key)
      values ('${id}', '${ownerRoleId}', 'Owner', 'owner', '{}', 'owner');
    insert into memberships (company_id, account_id, opened_at) values ('${id}', '${ownerId}', now());
    insert into membership_roles (company_id, account_id, role_id) values ('${id}', '${ownerId}', '${ownerRoleId}')`)
  return { id, ownerId, ownerRoleId }
}

/** What a connection says about itself outside of every scope. */
export async function stateOf(client: pg.ClientBase): Promise<Record<string, unknown>> {
  const { rows } = await client.query(`
    select current_user, current_setting('role') as role, pg_backend_pid() as pid,
      current_setting('app.company_id', true) as company, current_setting('app.account_id', true) as account,
      current_setting('statement_timeout') as statement_timeout,
      statement_timestamp() = transaction_timestamp() as no_transaction`)
  return rows[0]
}

/** Stands between the service and PostgreSQL, as the network does. */
export interface Network {
  target: Target
  /** From now on nothing gets through, and nobody is told. */
  silence(): void
  resume(): void
  /** Every connection ends, and new ones are refused until `listen`. */
  cut(): Promise<void>
  listen(): Promise<void>
  close(): Promise<void>
}

export async function startNetwork(db: TestDatabase): Promise<Network> {
  const { host, port } = testServer()
  const sockets = new Set<net.Socket>()
  let silent = false
  let listeningPort = 0
  const join = (from: net.Socket, to: net.Socket) => {
    sockets.add(from)
    if (silent) from.pause()
    from.on('data', (chunk) => to.write(chunk))
    from.on('error', () => {})
    from.on('close', () => {
      sockets.delete(from)
      to.destroy()
    })
  }
  const server = net.createServer((near) => {
    const far = net.connect(`${host}/.s.PGSQL.${port}`)
    join(near, far)
    join(far, near)
    if (silent) near.pause()
  })
  const listen = () => new Promise<void>((resolve) => server.listen(listeningPort, '127.0.0.1', resolve))
  const cut = () => {
    for (const socket of sockets) socket.destroy()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  }
  await listen()
  listeningPort = (server.address() as AddressInfo).port
  const { database } = db.target as { database: string }
  return {
    target: { connectionString: `postgres://tenantry@127.0.0.1:${listeningPort}/${database}` },
    silence() {
      silent = true
      for (const socket of sockets) socket.pause()
    },
    resume() {
      silent = false
      for (const socket of sockets) socket.resume()
    },
    cut,
    listen,
    close: cut,
  }
}

/** The backends that run a statement with this text just now. */
export async function backendsRunning(db: TestDatabase, text: string): Promise<number[]> {
  const rows = await db.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
     and state = 'active' and position($1 in query) > 0`,
    [text],
  )
  return rows.map(({ pid }) => pid)
}

/** More than twice what is promised: the machine of a test may be busy. */
const PATIENCE_MS = 5000

/** Asserts a refusal of 503 that comes soon and says when to come back. */
export async function isUnavailable(work: Promise<unknown>): Promise<void> {
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
export async function sleeping(
  db: TestDatabase,
  tx: Tx,
  seconds: number,
): Promise<{ done: Promise<unknown>; pid: number }> {
  const text = `select pg_sleep(${seconds}), '${randomUUID()}'`
  const done = sql.raw(text).execute(tx)
  done.catch(() => {})
  await until(async () => (await backendsRunning(db, text)).length === 1)
  return { done, pid: (await backendsRunning(db, text))[0] as number }
}

/** A read of everybody's, and a write of one row for each address. */
export const reads = (database: Database) =>
  sql`select email from sign_in_attempts`.execute(database.autocommit(asAnyone))
export const count = (tx: Tx, email: string) =>
  sql`insert into sign_in_attempts (email, failures) values (${email}, 1)
    on conflict (email) do update set failures = sign_in_attempts.failures + 1`.execute(tx)
