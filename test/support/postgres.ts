import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import net, { type AddressInfo } from 'node:net'
import { sql } from 'kysely'
import type pg from 'pg'
import type { Target } from '../../src/database/connection-settings.ts'
import { type Connections, connect } from '../../src/database/connections.ts'
import { problemFromDatabase } from '../../src/database/errors.ts'
import { Database, type Tx } from '../../src/database/open.ts'
import { asAnyone } from '../../src/database/scopes.ts'
import { Problem } from '../../src/problems.ts'
import { createTestDatabase, type TestDatabase, testServer } from './database.ts'
import { until } from './until.ts'

/** A database and its connections, to examine the state of a connection after its use. */
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

/** Inserts a company with its owner, without the service. */
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

/** The state of a connection outside of scopes. */
export async function stateOf(client: pg.ClientBase): Promise<Record<string, unknown>> {
  const { rows } = await client.query(`
    select current_user, current_setting('role') as role, pg_backend_pid() as pid,
      current_setting('app.company_id', true) as company, current_setting('app.account_id', true) as account,
      current_setting('statement_timeout') as statement_timeout,
      statement_timestamp() = transaction_timestamp() as no_transaction`)
  return rows[0]
}

/** A proxy between the service and PostgreSQL that can fail like a network. */
export interface Network {
  target: Target
  /** Delivers nothing more, without closing connections, until `resume`. */
  silence(): void
  resume(): void
  /** Closes the connection in place of delivering the next answer that has this text, such as the tag of a command. */
  lose(text: string): void
  /** Closes all connections and refuses new ones until `listen`. */
  cut(): Promise<void>
  listen(): Promise<void>
  close(): Promise<void>
}

/** `server`: where its socket is. */
export async function startNetwork(
  db: Pick<TestDatabase, 'target'>,
  { host, port }: { host: string; port: number } = testServer(),
): Promise<Network> {
  const sockets = new Set<net.Socket>()
  let silent = false
  let lost: string | undefined
  let listeningPort = 0
  const join = (from: net.Socket, to: net.Socket) => {
    sockets.add(from)
    if (silent) from.pause()
    from.on('data', (chunk) => {
      if (lost === undefined || !chunk.includes(lost)) return to.write(chunk)
      lost = undefined
      return from.destroy()
    })
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
    lose(text) {
      lost = text
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

/** The process ids of backends that are running a statement with this text. */
export async function backendsRunning(db: TestDatabase, text: string): Promise<number[]> {
  const rows = await db.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
     and state = 'active' and position($1 in query) > 0`,
    [text],
  )
  return rows.map(({ pid }) => pid)
}

/** More than twice the limit of the service, because the machine of a test may be busy. */
const RESPONSE_MS_MAX = 5000

/** Asserts that the work fails with 503 in time, with a Retry-After. */
export async function assertUnavailable(work: Promise<unknown>): Promise<void> {
  const since = performance.now()
  await assert.rejects(work, (error) => {
    const refusal = error instanceof Problem ? error : problemFromDatabase(error)
    assert.equal(refusal?.code, 'database_unavailable', String(error))
    assert.ok(refusal.context.retryAfterSeconds)
    return true
  })
  assert.ok(performance.now() - since < RESPONSE_MS_MAX, `${Math.round(performance.now() - since)} ms`)
}

/** Starts a statement that takes `seconds`. Returns its promise and the process id of its backend. */
export async function startSleeping(
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

/** A read, for which connections are shared. */
export const reads = (database: Database) =>
  sql`select email from password_attempts`.execute(database.autocommit(asAnyone))
/** A write of one row for each email address. */
export const count = (tx: Tx, email: string) =>
  sql`insert into password_attempts (email, failures) values (${email}, 1)
    on conflict (email) do update set failures = password_attempts.failures + 1`.execute(tx)
