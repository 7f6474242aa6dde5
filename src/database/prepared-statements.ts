import { isOutdated } from './errors.ts'
import type { RowReader } from './results.ts'

/** A text under the name by which connections prepare it. */
export interface PreparedStatement {
  readonly sql: string
  /** Empty: planned each time. */
  readonly name: string
}

const PREPARED_MAX = 500
const prepared = new Map<string, PreparedStatement>()
let namesGiven = 0

/**
 * Every connection keeps the plans of all names, so their number is bounded, well above the number of texts in this
 * code; a text beyond the bound is planned each time.
 */
export function preparedStatement(sql: string): PreparedStatement {
  const known = prepared.get(sql)
  if (known) return known
  if (prepared.size >= PREPARED_MAX) return { sql, name: '' }
  const statement = { sql, name: `s${++namesGiven}` }
  prepared.set(sql, statement)
  return statement
}

/**
 * After an error that a statement was out of date, every connection prepares every statement again, by a new name, when
 * it is next sent.
 */
export function renewPreparedAfter(error: unknown, statement: PreparedStatement): void {
  if (isOutdated(error) && prepared.get(statement.sql) === statement) prepared.clear()
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
