import pg from 'pg'
import { rolesSql } from '../roles.ts'
import { EmbeddedError } from './error.ts'

/** Complete, so that no PGPORT or PGSSLMODE in somebody's shell leads elsewhere. */
export interface Address {
  host: string
  port: number
  ssl: false
  user: string
  database: string
}

export interface Greeting {
  state: 'up'
  version: string
  life: string | null
  furnished: boolean
}

export type Answer = Greeting | { state: 'busy' | 'absent'; why: string }

export function address(host: string, name: string): Address {
  return { host, port: 5432, ssl: false, user: name, database: name }
}

/** Whether a server answers here, and what it says about itself. */
export async function knock(host: string): Promise<Answer> {
  const client = administrator(host)
  try {
    await client.connect()
    const { rows } = await client.query<Omit<Greeting, 'state'>>(`
      select split_part(current_setting('server_version'), ' ', 1) as version,
             current_setting('tenantry.life', true) as life,
             exists (select from pg_roles where rolname = 'tenantry')
               and exists (select from pg_database where datname = 'tenantry') as furnished`)
    if (rows[0]) return { state: 'up', ...rows[0] }
    throw new Error('a query for one row gave none')
  } catch (error) {
    return refusal(error)
  } finally {
    await client.end().catch(() => {})
  }
}

/** The service gets the rights that it has in a database given to it: its own database and plain roles, no superuser. */
export async function furnish(host: string): Promise<void> {
  const client = administrator(host)
  try {
    await client.connect()
    await client.query('create role tenantry login').catch(ignoreDuplicate)
    await client.query('create database tenantry owner tenantry').catch(ignoreDuplicate)
    await client.query(rolesSql({ user: 'tenantry', database: 'tenantry' })).catch(ignoreDuplicate)
  } finally {
    await client.end().catch(() => {})
  }
}

function administrator(host: string): pg.Client {
  const client = new pg.Client({ ...address(host, 'postgres'), connectionTimeoutMillis: 2_000, query_timeout: 10_000 })
  client.on('error', () => {}) // Told by the promise of the query, or of no interest any more.
  return client
}

/** Classes 53 and 57: starting up, shutting down, full. Such a server is there, and will answer or go away. */
function refusal(error: unknown): Answer {
  const why = error instanceof Error ? error.message : String(error)
  if (!(error instanceof pg.DatabaseError)) return { state: 'absent', why }
  if (/^5[37]/.test(error.code ?? '')) return { state: 'busy', why }
  throw new EmbeddedError(
    `The embedded PostgreSQL refuses its administrator (${why}): mend it, or choose another DATA_DIR`,
  )
}

/** Another process that starts at the same moment makes the same things. */
function ignoreDuplicate(error: unknown): void {
  const duplicates = ['42710', '42P04', '23505']
  if (!(error instanceof pg.DatabaseError && duplicates.includes(error.code ?? ''))) throw error
}
