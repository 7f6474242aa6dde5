import pg from 'pg'
import { type Awaited, deadlinesOf } from './deadlines.ts'
import { isUnknownStatement, LostSettingsError, NoAnswerError } from './errors.ts'
import { FrontendMessages } from './frontend-messages.ts'
import { type Stream, writeWithOthers } from './gathered-writes.ts'
import {
  type PreparedStatement,
  preparedStatement,
  renewPreparedAfter,
  rowReadersOf,
  skippedNamesOf,
} from './prepared-statements.ts'
import { type Column, noColumns, PendingResult, RowReader, type StatementResult } from './results.ts'

export interface Statement {
  sql: string
  /** One of the few texts in this code; otherwise the query builder has composed it. */
  isConstant?: boolean
  parameters: readonly unknown[]
}

/**
 * A prepared statement that is sent before the statements themselves and whose result is dropped. Steps are prepared
 * when a connection is opened, so only their values are sent.
 */
export interface Step {
  name: string
  values: string[]
}

export const beginStep: Step = { name: 'begin', values: [] }

/** The parts of the driver's connection that its types leave out. */
interface DriverConnection {
  stream: Stream & { destroy(): void }
  parsedStatements: Record<string, string>
  submittedNamedStatements: Record<string, string>
}

/** One statement of a sync. */
interface Entry {
  readonly statement: PreparedStatement
  readonly parameters: readonly unknown[]
  readonly result: PendingResult
  /** Whether this sync prepares the statement. */
  isParsed: boolean
}

const messages = new FrontendMessages()

/**
 * Steps and statements in one sync of PostgreSQL's protocol: one write, and one implicit transaction where none is open.
 * When one of them fails, the server skips the rest. This takes the place of the driver's own query: the driver calls
 * its methods with the server's messages.
 */
export class Sync implements Awaited {
  readonly dueAt: number
  readonly #client: pg.ClientBase
  readonly steps: readonly Step[]
  readonly statements: readonly Statement[]
  readonly #entries: Entry[]
  #stepsLeft: number
  #completed = 0

  constructor(client: pg.ClientBase, steps: Step[], statements: readonly Statement[], timeoutMs: number) {
    this.dueAt = performance.now() + timeoutMs
    this.#client = client
    this.steps = steps
    this.#stepsLeft = steps.length
    this.statements = statements
    this.#entries = statements.map(entryOf)
  }

  /** Returns a promise for each statement. Those behind the first may be left without anyone who awaits them. */
  send(): Promise<StatementResult>[] {
    deadlinesOf(this.#client).add(this)
    this.#client.query(this as unknown as pg.Submittable)
    const results = this.#entries.map(({ result }) => result.promise)
    for (const result of results.slice(1)) result.catch(() => {})
    return results
  }

  /** The statement whose preparation the server reports next: the driver remembers it by this name, with this text. */
  get name(): string | undefined {
    const entry = this.#entries[this.#completed]
    return entry?.isParsed ? entry.statement.name : undefined
  }

  get text(): string | undefined {
    return this.#entries[this.#completed]?.statement.sql
  }

  /**
   * Writes nothing when a value can't be encoded. What has to begin a transaction ends the connection then: the statements
   * behind it would run outside of the transaction, without its scope, and behind a pooler with the rights of the owner.
   */
  submit(connection: DriverConnection): Error | null {
    try {
      for (const { name, values } of this.steps) {
        messages.bind(name, values)
        messages.executePortal()
      }
      for (const entry of this.#entries) add(entry, connection)
      messages.sync()
    } catch (error) {
      messages.drop()
      this.#forgetParsed(connection)
      if (this.steps[0] === beginStep) connection.stream.destroy()
      return error as Error
    }
    const bytes = messages.take()
    if (connection.stream.writable) writeWithOthers(connection.stream, bytes)
    return null
  }

  handleRowDescription({ fields }: { fields: Column[] }): void {
    const entry = this.#entries[this.#completed]
    if (entry) entry.result.reader = new RowReader(fields)
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    if (this.#stepsLeft === 0) this.#entries[this.#completed]?.result.addRow(fields)
  }

  handleCommandComplete({ text }: { text: string }, connection: DriverConnection): void {
    if (this.#stepsLeft > 0) {
      this.#stepsLeft--
      return
    }
    const entry = this.#entries[this.#completed++]
    if (!entry) return
    rememberReader(entry, connection)
    entry.result.complete(text)
    if (this.#completed < this.#entries.length) entry.result.resolve()
  }

  handleEmptyQuery(connection: DriverConnection): void {
    this.handleCommandComplete({ text: '' }, connection)
  }

  /** The last statement is done when the server has committed the implicit transaction. */
  handleReadyForQuery(): void {
    deadlinesOf(this.#client).remove(this)
    this.#entries.at(-1)?.result.resolve()
  }

  handleError(error: Error, connection: DriverConnection): void {
    const isStepUnknown = this.#stepsLeft > 0 && isUnknownStatement(error)
    const failed = this.#entries[this.#completed]
    if (failed && !isStepUnknown) renewPreparedAfter(error, failed.statement)
    this.#forgetParsed(connection)
    deadlinesOf(this.#client).remove(this)
    this.#fail(isStepUnknown ? new LostSettingsError({ cause: error }) : error)
  }

  /** Ends the connection as well: what is under way on it would be answered out of turn. */
  expire(reason: Error = new NoAnswerError()): void {
    const { connection } = this.#client as unknown as { connection: DriverConnection }
    this.handleError(reason, connection)
    connection.stream.destroy()
  }

  /** The server skips statements behind one that failed, so they are not prepared. */
  #forgetParsed(connection: DriverConnection): void {
    for (const { isParsed, statement } of this.#entries.slice(this.#completed)) {
      if (!isParsed) continue
      delete connection.submittedNamedStatements[statement.name]
      skippedNamesOf(connection).add(statement.name)
    }
  }

  #fail(error: Error): void {
    const from = Math.min(this.#completed, this.#entries.length - 1)
    for (const { result } of this.#entries.slice(from)) result.reject(error)
  }
}
// Beside others on a connection, the driver accepts only its own queries.
Object.setPrototypeOf(Sync.prototype, pg.Query.prototype)

function entryOf({ sql, parameters, isConstant }: Statement): Entry {
  return { statement: preparedStatement(sql, { isConstant }), parameters, result: new PendingResult(), isParsed: false }
}

function add(entry: Entry, connection: DriverConnection): void {
  const { statement, parameters, result } = entry
  result.reader = rowReadersOf(connection).get(statement)
  if (!result.reader && !isPrepared(statement, connection)) {
    if (skippedNamesOf(connection).delete(statement.name)) messages.closeStatement(statement.name)
    messages.parse(statement.name, statement.sql)
    if (statement.name) connection.submittedNamedStatements[statement.name] = statement.sql
    entry.isParsed = true
  }
  messages.bind(statement.name, parameters)
  if (!result.reader) messages.describePortal()
  messages.executePortal()
}

function isPrepared({ name }: PreparedStatement, connection: DriverConnection): boolean {
  return name !== '' && (name in connection.parsedStatements || name in connection.submittedNamedStatements)
}

function rememberReader({ statement, result }: Entry, connection: DriverConnection): void {
  const readers = rowReadersOf(connection)
  if (statement.name && !readers.has(statement)) readers.set(statement, result.reader ?? noColumns)
}
