import { printError } from './errors.ts'
import { EXIT } from './exit-codes.ts'
import { printable, printableJson } from './printable.ts'

/** What a command has done: for a person, and for a program that asked with --json. */
export interface Outcome {
  text: string
  json: object
  /** Printed to standard error. */
  warnings?: string[]
  /** By default 0. */
  exitCode?: number
}

/** Prints the outcome, or the error in place of it, and sets the exit code. */
export async function present({ json }: { json?: true | undefined }, work: Promise<Outcome>): Promise<void> {
  try {
    const outcome = await work
    for (const warning of outcome.warnings ?? []) console.error(`warning: ${printable(warning)}`)
    console.log(json ? printableJson(outcome.json, 2) : printable(outcome.text))
    process.exitCode = outcome.exitCode ?? EXIT.done
  } catch (error) {
    process.exitCode = printError(error, { json: json === true })
  }
}

/** Aligned columns under their titles; `empty` where there are no rows. */
export function table(titles: string[], rows: (string | number | null)[][], empty: string): string {
  if (rows.length === 0) return empty
  const cells = [titles, ...rows.map((row) => row.map((cell) => plain(cell)))]
  const widths = titles.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)))
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** A name and a value on each line, such as `status   active`. */
export function fields(values: Record<string, string | number | null>): string {
  const width = Math.max(...Object.keys(values).map((name) => name.length))
  return Object.entries(values)
    .map(([name, value]) => `${name.padEnd(width)}  ${plain(value)}`)
    .join('\n')
}

/** On one line. */
export const plain = (value: string | number | null) =>
  value === null ? '–' : printable(String(value)).replaceAll('\n', '?')

const BAR_LENGTH = 30

export interface Progress {
  update(done: number, total: number): void
  end(): void
}

/** A bar for long work, on a terminal alone; elsewhere nothing is written. */
export function startProgress(label: string, stream: NodeJS.WriteStream = process.stderr): Progress {
  if (!stream.isTTY) return { update() {}, end() {} }
  return {
    update(done, total) {
      const part = total > 0 ? Math.min(1, done / total) : 1
      const bar = '█'.repeat(Math.round(part * BAR_LENGTH)).padEnd(BAR_LENGTH, '░')
      const count = `${done.toLocaleString('en')} of ${total.toLocaleString('en')}`
      stream.write(`\r${label}  ${bar}  ${count}\u001b[K`)
    },
    end: () => void stream.write('\r\u001b[K'),
  }
}
