import type pg from 'pg'

export interface StatementResult {
  /** The first word of PostgreSQL's command tag, such as SELECT. */
  command: string
  /** Null for commands that count no rows. */
  rowCount: number | null
  // biome-ignore lint/suspicious/noExplicitAny: as in the driver, the caller knows the columns of its statement.
  rows: any[]
}

export interface Column {
  name: string
  dataTypeID: number
}

type Parser = (text: string) => unknown

/** Reads the rows of one statement and keeps the promise of its result. */
export class ResultReader {
  readonly #settled = Promise.withResolvers<StatementResult>()
  readonly #rows: Record<string, unknown>[] = []
  #columns: Column[] = []
  #parsers: Parser[] = []
  #tag = ''
  /** Why a row can't be read. The server has run the statement all the same, so the rest of its answer is awaited. */
  #failure: unknown

  get promise(): Promise<StatementResult> {
    return this.#settled.promise
  }

  setColumns(columns: Column[], client: pg.ClientBase): void {
    this.#columns = columns
    this.#parsers = columns.map(({ dataTypeID }) => client.getTypeParser(dataTypeID, 'text') as Parser)
  }

  addRow(values: (string | null)[]): void {
    if (this.#failure) return
    try {
      this.#rows.push(this.#rowOf(values))
    } catch (error) {
      this.#failure = error
    }
  }

  #rowOf(values: (string | null)[]): Record<string, unknown> {
    const row: Record<string, unknown> = {}
    for (const [index, { name }] of this.#columns.entries()) {
      const value = values[index] as string | null
      row[name] = value === null ? null : this.#parsers[index]?.(value)
    }
    return row
  }

  /** `tag`: the server's word for what it has done, and how often. */
  complete(tag: string): void {
    this.#tag = tag
  }

  settle(): void {
    if (this.#failure) this.#settled.reject(this.#failure)
    else this.#settled.resolve({ ...readTag(this.#tag), rows: this.#rows })
  }

  fail(error: Error): void {
    this.#settled.reject(error)
  }
}

/** `INSERT 0 1` counts one row, and `SET CONSTRAINTS` counts none. */
function readTag(tag: string): { command: string; rowCount: number | null } {
  const words = tag.split(' ')
  const count = Number(words.at(-1))
  return { command: words[0] as string, rowCount: words.length > 1 && Number.isInteger(count) ? count : null }
}
