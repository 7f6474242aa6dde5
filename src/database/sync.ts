import pg from 'pg'
import { FrontendMessages } from './frontend-messages.ts'
import { type Column, ResultReader, type StatementResult } from './results.ts'
import { forgetNamesAfter, nameOf } from './statement-names.ts'

export interface Statement {
  sql: string
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

/** The parts of the driver's connection that its types leave out. */
interface DriverConnection {
  stream: { writable: boolean; write(bytes: Buffer): void }
  parsedStatements: Record<string, string>
  submittedNamedStatements: Record<string, string>
}

/** One statement of a sync. */
interface Entry extends Statement {
  /** Undefined: planned each time. */
  name: string | undefined
  /** Whether this sync prepares the statement. */
  isParsed: boolean
  result: ResultReader
}

const messages = new FrontendMessages()

/**
 * Steps and statements in one sync of PostgreSQL's protocol: one write, and one implicit transaction where none is open.
 * When one of them fails, the server skips the rest. This takes the place of the driver's own query: the driver calls
 * its methods with the server's messages.
 */
export class Sync {
  /** The driver replaces it, to stop its timer first. */
  callback: (error?: Error | null) => void = (error) => (error ? this.#fail(error) : this.#settleLast())
  /** In milliseconds; the driver reads it under this name. */
  readonly query_timeout: number
  readonly #client: pg.ClientBase
  readonly #steps: Step[]
  readonly #entries: Entry[]
  #stepsLeft: number
  #completed = 0

  constructor(client: pg.ClientBase, steps: Step[], statements: readonly Statement[], timeoutMs: number) {
    this.query_timeout = timeoutMs
    this.#client = client
    this.#steps = steps
    this.#stepsLeft = steps.length
    this.#entries = statements.map(entryOf)
  }

  /** Returns a promise for each statement. Those behind the first may be left without anyone who awaits them. */
  send(): Promise<StatementResult>[] {
    this.#client.query(this as unknown as pg.Submittable)
    const results = this.#entries.map(({ result }) => result.promise)
    for (const result of results.slice(1)) result.catch(() => {})
    return results
  }

  /** The statement whose preparation the server reports next: the driver remembers it by this name, with this text. */
  get name(): string | undefined {
    const entry = this.#entries[this.#completed]
    return entry?.isParsed ? entry.name : undefined
  }

  get text(): string | undefined {
    return this.#entries[this.#completed]?.sql
  }

  /** Writes nothing when a value can't be encoded. */
  submit(connection: DriverConnection): Error | null {
    try {
      for (const { name, values } of this.#steps) {
        messages.bind(name, values)
        messages.executePortal()
      }
      for (const entry of this.#entries) add(entry, connection)
      messages.sync()
    } catch (error) {
      messages.drop()
      this.#forgetParsed(connection)
      return error as Error
    }
    const bytes = messages.take()
    if (connection.stream.writable) connection.stream.write(bytes)
    return null
  }

  handleRowDescription({ fields }: { fields: Column[] }): void {
    this.#entries[this.#completed]?.result.setColumns(fields, this.#client)
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    if (this.#stepsLeft === 0) this.#entries[this.#completed]?.result.addRow(fields)
  }

  handleCommandComplete({ text }: { text: string }): void {
    if (this.#stepsLeft > 0) {
      this.#stepsLeft--
      return
    }
    const result = this.#entries[this.#completed++]?.result
    result?.complete(text)
    if (this.#completed < this.#entries.length) result?.settle()
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' })
  }

  handleReadyForQuery(): void {
    this.callback(null)
  }

  handleError(error: Error, connection: DriverConnection): void {
    const failed = this.#entries[this.#completed]
    if (failed) forgetNamesAfter(error, failed.name, failed.sql)
    this.#forgetParsed(connection)
    this.callback(error)
  }

  /** The server skips statements behind one that failed, so they are not prepared. */
  #forgetParsed({ submittedNamedStatements }: DriverConnection): void {
    for (const { isParsed, name } of this.#entries.slice(this.#completed)) {
      if (isParsed && name) delete submittedNamedStatements[name]
    }
  }

  /** The last statement is done when the server has committed the implicit transaction. */
  #settleLast(): void {
    this.#entries.at(-1)?.result.settle()
  }

  #fail(error: Error): void {
    const from = Math.min(this.#completed, this.#entries.length - 1)
    for (const { result } of this.#entries.slice(from)) result.fail(error)
  }
}
// Beside others on a connection, the driver accepts only its own queries.
Object.setPrototypeOf(Sync.prototype, pg.Query.prototype)

function entryOf({ sql, parameters }: Statement): Entry {
  return { sql, parameters, name: nameOf(sql), isParsed: false, result: new ResultReader() }
}

function add(entry: Entry, { parsedStatements, submittedNamedStatements }: DriverConnection): void {
  const { name, sql, parameters } = entry
  const isKnown = name && (parsedStatements[name] || submittedNamedStatements[name])
  if (!isKnown) {
    messages.parse(name ?? '', sql)
    if (name) submittedNamedStatements[name] = sql
    entry.isParsed = true
  }
  messages.bind(name ?? '', parameters)
  messages.describePortal()
  messages.executePortal()
}
