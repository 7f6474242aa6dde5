import { existsSync } from 'node:fs'
import path from 'node:path'
import { closeOnSignals } from './cleanup.ts'
import type { Fault, Outcome } from './fault.ts'

/** A fault that hangs longer than this counts as failed. */
const FAULT_MS_MAX = 240_000
const PROBLEMS_SHOWN = 10

type Result = { fault: Fault } & ({ outcome: Outcome } | { failure: unknown })

/** Runs one after the other, prints a table, and tells whether all of them went well. */
export async function runFaults(faults: Fault[]): Promise<boolean> {
  closeOnSignals()
  const results: Result[] = []
  for (const fault of faults) {
    const result = await attempt(fault)
    results.push(result)
    console.error(`${problemsOf(result).length === 0 ? 'ok    ' : 'FAILED'}  ${fault.name}`)
    for (const problem of problemsOf(result).slice(0, PROBLEMS_SHOWN)) console.error(`        ${problem}`)
  }
  console.log(table(results))
  return results.every((result) => problemsOf(result).length === 0)
}

async function attempt(fault: Fault): Promise<Result> {
  try {
    for (const program of fault.programs ?? []) assertInstalled(program)
    return { fault, outcome: await inTime(fault.run(), fault.msMax) }
  } catch (failure) {
    return { fault, failure }
  }
}

/** Throws when a program is not on the PATH, nor where Debian has those of administrators. */
export function assertInstalled(program: string): void {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin', '/sbin']
  if (!folders.some((folder) => existsSync(path.join(folder, program))))
    throw new Error(`${program} is not installed: install it, this fault is never skipped`)
}

async function inTime<Value>(work: Promise<Value>, msMax = FAULT_MS_MAX): Promise<Value> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`not finished within ${msMax} ms`)), msMax)
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer))
}

/** What is wrong with a result, one sentence each. */
function problemsOf(result: Result): string[] {
  if ('failure' in result) return [describe(result.failure)]
  const { lost, twice, healedMs, acknowledged } = result.outcome
  const { healMsMax } = result.fault
  return [
    ...lost.map((what) => `lost: ${what}`),
    ...twice.map((what) => `twice: ${what}`),
    ...(healedMs > healMsMax ? [`healed after ${Math.round(healedMs)} ms, and may take ${healMsMax} ms`] : []),
    ...(acknowledged === 0 ? ['nothing was acknowledged'] : []),
  ]
}

const describe = (failure: unknown) => (failure instanceof Error ? (failure.stack ?? failure.message) : String(failure))

function table(results: Result[]): string {
  const rows = results.map((result) =>
    'outcome' in result
      ? [
          result.fault.name,
          String(result.outcome.acknowledged),
          String(result.outcome.lost.length),
          String(result.outcome.twice.length),
          `${(result.outcome.healedMs / 1000).toFixed(1)} s`,
        ]
      : [result.fault.name, 'failed', '', '', ''],
  )
  const cells = [['fault', 'acknowledged', 'lost', 'twice', 'healed in'], ...rows]
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...cells.map((row) => (row[column] ?? '').length)))
  const line = (row: string[]) =>
    `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`
  const [head = [], ...body] = cells
  const rule = `| ${widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`
  return [line(head), rule, ...body.map(line)].join('\n')
}
