import pg from 'pg'
import { rolesSql } from '../roles.ts'
import { EmbeddedError } from './error.ts'

/** Every part is present, so that PGPORT, PGSSLMODE and similar variables of the environment change nothing. */
export interface Address {
  /** The folder of the server's socket. */
  host: string
  port: number
  ssl: false
  user: string
  database: string
}

/** What a server that accepts connections says about itself. */
export interface ServerState {
  state: 'up'
  /** Such as `18.4`. */
  version: string
  /** Which launch of which process this server comes from, see server-process.ts; null: not from this code. */
  launchId: string | null
  /** Whether the role and the database of the service exist. */
  provisioned: boolean
}

/** `busy`: a server is starting or shutting down, or has no connection left. `absent`: no server answers. */
export type ProbeResult = ServerState | { state: 'busy' | 'absent'; reason: string }

/** The address of the role `name` in the database of the same name. */
export function addressOf(host: string, name: string): Address {
  return { host, port: 5432, ssl: false, user: name, database: name }
}

/** Asks the server for its state. Throws an EmbeddedError when it refuses its own superuser. */
export async function probe(host: string): Promise<ProbeResult> {
  const client = superuserClient(host)
  try {
    await client.connect()
    const { rows } = await client.query<Omit<ServerState, 'state'>>(`
      select split_part(current_setting('server_version'), ' ', 1) as version,
             current_setting('tenantry.launch_id', true) as "launchId",
             exists (select from pg_roles where rolname = 'tenantry')
               and exists (select from pg_database where datname = 'tenantry') as provisioned`)
    if (rows[0]) return { state: 'up', ...rows[0] }
    throw new Error('a query for one row returned none')
  } catch (error) {
    return stateFrom(error)
  } finally {
    await client.end().catch(() => {})
  }
}

/**
 * Makes the database and the plain role of the service: the same rights as on a server of the operator, no superuser.
 */
export async function provision(host: string): Promise<void> {
  const client = superuserClient(host)
  try {
    await client.connect()
    await client.query('create role tenantry login').catch(ignoreDuplicate)
    await client.query('create database tenantry owner tenantry').catch(ignoreDuplicate)
    await client.query(rolesSql({ user: 'tenantry', database: 'tenantry' })).catch(ignoreDuplicate)
  } finally {
    await client.end().catch(() => {})
  }
}

function superuserClient(host: string): pg.Client {
  const client = new pg.Client({
    ...addressOf(host, 'postgres'),
    connectionTimeoutMillis: 2_000,
    query_timeout: 10_000,
  })
  client.on('error', () => {}) // The promise of the running query reports the error.
  return client
}

/**
 * SQLSTATE classes 53 and 57: starting up, shutting down, no connection left. Such a server exists and will answer or
 * end.
 */
function stateFrom(error: unknown): ProbeResult {
  const reason = error instanceof Error ? error.message : String(error)
  if (!(error instanceof pg.DatabaseError)) return { state: 'absent', reason }
  if (/^5[37]/.test(error.code ?? '')) return { state: 'busy', reason }
  throw new EmbeddedError(
    `The embedded PostgreSQL refuses its superuser (${reason}): repair it, or choose another DATA_DIR`,
  )
}

/** Another process that starts at the same moment makes the same role and database. */
function ignoreDuplicate(error: unknown): void {
  const duplicates = ['42710', '42P04', '23505']
  if (!(error instanceof pg.DatabaseError && duplicates.includes(error.code ?? ''))) throw error
}
