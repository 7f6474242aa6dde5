import pg from 'pg'
import { addressesIn } from '../lib/database-urls.ts'
import { typeParser } from './type-parsers.ts'

/** How to reach the database: DATABASE_URL, or the address of the embedded PostgreSQL. */
export type Target = (
  | { connectionString: string }
  | { host: string; user: string; database: string; port?: number }
) & {
  /** Behind a pooler that gives every transaction any of its connections, so nothing may be set beyond a transaction. */
  isPooledByTransaction?: boolean
}

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
export const LOCK_WAIT_MS = 1500
/**
 * idle_in_transaction_session_timeout. For so long the locks of a connection stay that the network has lost: longer than a
 * request takes, because between its statements only this process works.
 */
const IDLE_IN_TRANSACTION_MS = 5000
/** How long opening a connection may take, and how long a request waits while all connections are in use. */
export const CONNECT_MS = 1900

/** Settings of a connection or a transaction, by PostgreSQL's names. */
export type Settings = Record<string, string>

/**
 * Settings that change the meaning or the result of a statement: those of the server, database or role must not apply.
 */
export const FIXED_SETTINGS: Settings = {
  search_path: 'public',
  row_security: 'on',
  // Under a stricter level a transaction would count owners that another transaction has just removed.
  default_transaction_isolation: 'read committed',
  TimeZone: 'UTC',
  DateStyle: 'ISO',
  IntervalStyle: 'postgres',
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  transform_null_equals: 'off',
  extra_float_digits: '1',
  bytea_output: 'hex',
  // Above this number a search by an index would find some of the rows.
  gin_fuzzy_search_limit: '0',
  // Every start compares names with those in rights.json.
  quote_all_identifiers: 'off',
}

/** Of connections for requests: without rights, and with limits. */
export const SERVICE_SETTINGS: Settings = {
  ...FIXED_SETTINGS,
  role: 'tenantry_none',
  jit: 'off',
  // Rows of a page are looked up by keys that differ, so remembering what was found for one never pays.
  enable_memoize: 'off',
  plan_cache_mode: 'force_generic_plan',
  statement_timeout: String(STATEMENT_MS),
  lock_timeout: String(LOCK_WAIT_MS),
  idle_in_transaction_session_timeout: String(IDLE_IN_TRANSACTION_MS),
  // The warning about a commit that may not have been replicated must arrive.
  client_min_messages: 'warning',
  // A connection that the server ends at the moment of its next use costs a request.
  idle_session_timeout: '0',
}

/**
 * Of connections that many reads share: a write that is taken for a read would delay them by its locks and its commit, so the
 * server refuses it. Without effect behind a pooler of transactions.
 */
export const READ_SETTINGS: Settings = { ...SERVICE_SETTINGS, default_transaction_read_only: 'on' }

/**
 * Of connections for migrations: as the owner, and without limits. A role that is set up by `alter role … set role` acts
 * as that other role.
 */
export const MIGRATION_SETTINGS: Settings = {
  ...FIXED_SETTINGS,
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
}

/**
 * A statement without rows that makes these settings, for the connection or for the transaction alone. They are not sent
 * when the connection is opened, because poolers such as PgBouncer refuse or ignore them there.
 */
export function settingsSql(settings: Settings, { isLocal }: { isLocal: boolean }): string {
  const calls = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', ${isLocal})`)
  return `select where num_nulls(${calls.join(', ')}) > 0`
}

/** The configuration of a connection for requests. SERVICE_SETTINGS have to be made before its first use. */
export function serviceSession(target: Target): pg.ClientConfig {
  return {
    ...addressOf(target),
    types,
    pipeline: true,
    application_name: 'tenantry',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
  }
}

/** The configuration of a connection for migrations. MIGRATION_SETTINGS have to be made before its first use. */
export function migrationSession(target: Target): pg.ClientConfig {
  return { ...addressOf(target), application_name: 'tenantry migrate', connectionTimeoutMillis: 10_000 }
}

export type Address = Pick<
  pg.ClientConfig,
  'host' | 'port' | 'user' | 'password' | 'database' | 'ssl' | 'sslnegotiation' | 'options'
>

/** One for each host that DATABASE_URL names. */
export function addressesOf(target: Target): Address[] {
  if (!('connectionString' in target)) return [partsOf(target)]
  return addressesIn(target.connectionString).map((connectionString) => partsOf({ connectionString }))
}

const addressOf = (target: Target) => addressesOf(target)[0] as Address

/** Only these parts of an address are used, because the driver prefers settings in an address to those of this file. */
function partsOf(target: Target): Address {
  const client = new pg.Client(target) as pg.Client & { connectionParameters: Address }
  const { host, port, user, password, database, ssl, sslnegotiation, options } = client.connectionParameters
  return { host, port, user, password, database, ssl, sslnegotiation, ...(options && { options }) }
}

// For the few statements that the driver sends by itself.
const types = { getTypeParser: typeParser } as unknown as pg.CustomTypesConfig
