import { isOutdated, isUnknownStatement } from './errors.ts'
import type { RowReader } from './results.ts'

/** A text under the name by which connections prepare it. */
export interface PreparedStatement {
  readonly sql: string
  /** Empty: planned each time. */
  readonly name: string
}

const COMPOSED_MAX = 500
const prepared = new Map<string, PreparedStatement>()
let namesGiven = 0
let composed = 0

/**
 * Every connection keeps the plans of all names, so their number is bounded. Requests choose which texts the query builder
 * composes, and could use up the bound: a composed text beyond it is planned each time, a constant one never is.
 */
export function preparedStatement(
  sql: string,
  { isConstant = false }: { isConstant?: boolean | undefined } = {},
): PreparedStatement {
  const known = prepared.get(sql)
  if (known) return known
  if (!isConstant && ++composed > COMPOSED_MAX) return { sql, name: '' }
  const statement = { sql, name: `s${++namesGiven}` }
  prepared.set(sql, statement)
  return statement
}

/**
 * After an error that a statement was out of date, every connection prepares it again, by a new name, when it is next sent.
 * When a table was altered, that holds for every statement.
 */
export function renewPreparedAfter(error: unknown, statement: PreparedStatement): void {
  if (!isOutdated(error) || prepared.get(statement.sql) !== statement) return
  if (isUnknownStatement(error)) prepared.delete(statement.sql)
  else {
    prepared.clear()
    composed = 0
  }
}

/**
 * How the rows of a statement are read, for each statement that a connection has prepared and described. It is asked for
 * once: the columns can't change under a name, because a statement whose columns would change fails as out of date. They
 * may differ between connections, when a table was altered after one of them had prepared the statement.
 */
export type RowReaders = Map<PreparedStatement, RowReader>
const readersOfConnections = new WeakMap<object, RowReaders>()

export function rowReadersOf(connection: object): RowReaders {
  const known = readersOfConnections.get(connection)
  if (known) return known
  const readers: RowReaders = new Map()
  readersOfConnections.set(connection, readers)
  return readers
}

const skippedNamesOfConnections = new WeakMap<object, Set<string>>()

/**
 * Names that a connection was asked to prepare, and which the server has skipped. They are closed before they are prepared again:
 * PgBouncer keeps the name of a statement as soon as it is sent, and ends the connection that sends it again.
 */
export function skippedNamesOf(connection: object): Set<string> {
  const known = skippedNamesOfConnections.get(connection)
  if (known) return known
  const names = new Set<string>()
  skippedNamesOfConnections.set(connection, names)
  return names
}
