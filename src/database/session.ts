import pg from 'pg'

/** Where the database is: an address, or what the embedded one gives. */
export type Target = { connectionString: string } | { host: string; user: string; database: string; port?: number }

/**
 * A silent server ends no statement, so the client's side has a deadline of its own, which ends the connection. Within
 * two seconds the caller is answered.
 */
export const DEADLINE_MS = 1900
/** Below the deadline, so that a statement which is merely slow, or waits for a lock, fails alone. */
const STATEMENT_MS = 1700
const LOCK_WAIT_MS = 1500
const IDLE_IN_TRANSACTION_MS = 10_000
/** Also the longest wait for a connection while all are taken. */
export const CONNECT_MS = 1900

/** What the server, the database or the role may have been set up with must not change what a statement means. */
const SETTINGS = {
  role: 'tenantry_none',
  search_path: 'public',
  row_security: 'on',
  // Under a stricter one a transaction would count the Owners as they were before another one removed them.
  default_transaction_isolation: 'read\\ committed',
  timezone: 'UTC',
  datestyle: 'ISO',
  intervalstyle: 'postgres',
  standard_conforming_strings: 'on',
  jit: 'off',
  plan_cache_mode: 'force_generic_plan',
}

export function serviceSession(target: Target): pg.ClientConfig {
  const address = addressOf(target)
  return {
    ...address,
    options: optionsOf(address, SETTINGS),
    types,
    pipeline: true,
    application_name: 'tenantry',
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: DEADLINE_MS,
    statement_timeout: STATEMENT_MS,
    lock_timeout: LOCK_WAIT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
  }
}

/** For migrations: as the owner, and for as long as it takes. */
export function migrationSession(target: Target): pg.ClientConfig {
  const address = addressOf(target)
  const settings = { search_path: 'public', statement_timeout: '0', lock_timeout: '0' }
  return {
    ...address,
    options: optionsOf(address, settings),
    application_name: 'tenantry migrate',
    connectionTimeoutMillis: 10_000,
  }
}

type Address = Pick<
  pg.ClientConfig,
  'host' | 'port' | 'user' | 'password' | 'database' | 'ssl' | 'sslnegotiation' | 'options'
>

/** Whatever else an address asks for would replace what we ask for: the driver prefers it. */
function addressOf(target: Target): Address {
  const client = new pg.Client(target) as pg.Client & { connectionParameters: Address }
  const { host, port, user, password, database, ssl, sslnegotiation, options } = client.connectionParameters
  return { host, port, user, password, database, ssl, sslnegotiation, options }
}

/** Of two values for a setting the server takes the later one. */
function optionsOf({ options = '' }: Address, settings: Record<string, string>): string {
  return [options, ...Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)].join(' ')
}

const TIMESTAMPTZ = 1184
const BIGINT = 20
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === TIMESTAMPTZ) return isoTimestamp
    if (oid === BIGINT) return Number
    return pg.types.getTypeParser(oid, format)
  }) as typeof pg.types.getTypeParser,
}

/**
 * `2026-11-20 20:37:11.123456+00` → `2026-11-20T20:37:11.123Z`: a Date in between would cost more than the query. Infinity and
 * years of other lengths, which nothing of ours writes, are left as they are.
 */
function isoTimestamp(text: string): string {
  if (text.length < 22 || text[4] !== '-' || !text.endsWith('+00')) return text
  const fraction = text.slice(19, -3)
  return `${text.slice(0, 10)}T${text.slice(11, 19)}${fraction.padEnd(4, '0').slice(0, 4).replace(/^0/, '.')}Z`
}
