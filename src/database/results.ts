import { typeParser } from './type-parsers.ts'

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

type Row = Record<string, unknown>

/** Makes rows of the texts that the server sends for their columns. */
export class RowReader {
  readonly #names: string[]
  readonly #parsers: ((text: string) => unknown)[]

  constructor(columns: Column[]) {
    this.#names = columns.map(({ name }) => name)
    this.#parsers = columns.map(({ dataTypeID }) => typeParser(dataTypeID))
  }

  /** Rows of one statement get their keys in the same order, so that the engine gives them one hidden class. */
  read(values: (string | null)[]): Row {
    const row: Row = {}
    for (let index = 0; index < values.length; index++) {
      const value = values[index] as string | null
      const name = this.#names[index] as string
      row[name] = value === null ? null : this.#parsers[index]?.(value)
    }
    return row
  }
}

/** For a statement that returns no rows. */
export const noColumns = new RowReader([])

/** Collects the rows of one statement and keeps the promise of its result. */
export class PendingResult {
  /** Undefined until the server describes the columns. */
  reader: RowReader | undefined
  readonly #settled = Promise.withResolvers<StatementResult>()
  readonly #rows: Row[] = []
  #tag = ''
  /** Why a row can't be read. The server has run the statement all the same, so the rest of its answer is awaited. */
  #failure: unknown

  get promise(): Promise<StatementResult> {
    return this.#settled.promise
  }

  addRow(values: (string | null)[]): void {
    if (this.#failure || !this.reader) return
    try {
      this.#rows.push(this.reader.read(values))
    } catch (error) {
      this.#failure = error
    }
  }

  /** `tag`: the server's words for what it has done, and for how many rows. */
  complete(tag: string): void {
    this.#tag = tag
  }

  resolve(): void {
    if (this.#failure) this.#settled.reject(this.#failure)
    else this.#settled.resolve({ ...readTag(this.#tag), rows: this.#rows })
  }

  reject(error: Error): void {
    this.#settled.reject(error)
  }
}

/** `INSERT 0 1` counts one row, and `SET CONSTRAINTS` counts none. */
function readTag(tag: string): { command: string; rowCount: number | null } {
  const words = tag.split(' ')
  const count = Number(words.at(-1))
  return { command: words[0] as string, rowCount: words.length > 1 && Number.isInteger(count) ? count : null }
}
