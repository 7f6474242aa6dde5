import { mock } from 'node:test'
import { runCommandLine } from '../../src/cli/run.ts'
import type { TestDatabase } from './database.ts'

export interface Ran {
  exitCode: number
  stdout: string
  stderr: string
  // Tests read JSON the way a program does: without types.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  json: any
}

/** The address of a test's database, as DATABASE_URL. */
export function databaseUrlOf({ target }: Pick<TestDatabase, 'target'>): string {
  const { host, port, user, database } = target as { host: string; port: number; user: string; database: string }
  return `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`
}

/** Runs commands in this process with these settings alone, one after the other. */
export function commandLineWith(settings: Record<string, string>): (...args: string[]) => Promise<Ran> {
  return async (...args) => {
    const written = { stdout: '', stderr: '' }
    const before = { env: process.env, exitCode: process.exitCode }
    const write = (to: keyof typeof written) => (text: unknown) => {
      written[to] += String(text)
      return true
    }
    const mocks = [
      mock.method(console, 'log', (text: unknown) => void write('stdout')(`${text}\n`)),
      mock.method(console, 'error', (text: unknown) => void write('stderr')(`${text}\n`)),
      // Standard output itself belongs to the test runner.
      mock.method(process.stderr, 'write', write('stderr') as never),
    ]
    process.env = { PATH: process.env.PATH, ...settings }
    process.exitCode = 0
    try {
      await runCommandLine(args)
      return { exitCode: Number(process.exitCode), ...written, json: args.includes('--json') && parsed(written.stdout) }
    } finally {
      process.env = before.env
      process.exitCode = before.exitCode
      for (const { mock: each } of mocks) each.restore()
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
