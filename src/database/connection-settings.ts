import pg from 'pg'
import { typeParser } from './type-parsers.ts'

/** How to reach the database: DATABASE_URL, or the address of the embedded PostgreSQL. */
export type Target = { connectionString: string } | { host: string; user: string; database: string; port?: number }

/**
 * The connection is ended when a statement has no answer by then, because a silent server enforces no timeout. A request is
 * answered within two seconds.
 */
export const DEADLINE_MS = 1900
/** statement_timeout. Below the deadline, so that a slow statement fails alone and keeps its connection. */
export const STATEMENT_MS = 1700
/** statement_timeout of background work. */
export const SLOW_STATEMENT_MS = 5000
/** After the server's timeout, so that a slow statement fails alone and keeps its connection. */
export const SLOW_DEADLINE_MS = 5500
/** lock_timeout. */
const LOCK_WAIT_MS = 1500
const IDLE_IN_TRANSACTION_MS = 10_000
/** How long opening a connection may take, and how long a request waits while all connections are in use. */
export const CONNECT_MS = 1900

/**
 * Settings that change the meaning or the result of a statement: those of the server, database or role must not apply.
 */
const FIXED_SETTINGS = {
  search_path: 'public',
  row_security: 'on',
  // Under a stricter level a transaction would count owners that another transaction has just removed.
  default_transaction_isolation: 'read\\ committed',
  timezone: 'UTC',
  datestyle: 'ISO',
  intervalstyle: 'postgres',
  standard_conforming_strings: 'on',
  // Every start compares names with those in rights.json.
  quote_all_identifiers: 'off',
}

const SETTINGS = {
  ...FIXED_SETTINGS,
  role: 'tenantry_none',
  jit: 'off',
  // Rows of a page are looked up by keys that differ, so remembering what was found for one never pays.
  enable_memoize: 'off',
  plan_cache_mode: 'force_generic_plan',
}

/** The configuration of a connection for requests: without rights, and with limits. */
export function serviceSession(target: Target): pg.ClientConfig {
  const address = addressOf(target)
  return {
    ...address,
    options: optionsOf(address, SETTINGS),
    types,
    pipeline: true,
    application_name: 'tenantry',
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    lock_timeout: LOCK_WAIT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
  }
}

/**
 * The configuration of a connection for migrations: as the owner, and without limits. A role that is set up by `alter
 * role … set role` acts as that other role.
 */
export function migrationSession(target: Target): pg.ClientConfig {
  const address = addressOf(target)
  const limits = { statement_timeout: '0', lock_timeout: '0', idle_in_transaction_session_timeout: '0' }
  return {
    ...address,
    options: optionsOf(address, { ...FIXED_SETTINGS, ...limits }),
    application_name: 'tenantry migrate',
    connectionTimeoutMillis: 10_000,
  }
}

type Address = Pick<
  pg.ClientConfig,
  'host' | 'port' | 'user' | 'password' | 'database' | 'ssl' | 'sslnegotiation' | 'options'
>

/** Only these parts of an address are used, because the driver prefers settings in an address to those of this file. */
function addressOf(target: Target): Address {
  const client = new pg.Client(target) as pg.Client & { connectionParameters: Address }
  const { host, port, user, password, database, ssl, sslnegotiation, options } = client.connectionParameters
  return { host, port, user, password, database, ssl, sslnegotiation, options }
}

/** The server uses the later one of two values for a setting. */
function optionsOf({ options = '' }: Address, settings: Record<string, string>): string {
  return [options, ...Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)].join(' ')
}

// For the few statements that the driver sends by itself.
const types = { getTypeParser: typeParser } as unknown as pg.CustomTypesConfig
