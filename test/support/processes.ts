import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { TestApp } from './app.ts'
import { Client } from './client.ts'
import { checkAnswersFrom } from './contract.ts'

const root = path.join(import.meta.dirname, '..', '..')

export interface ServiceProcess {
  address: string
  /** Below `/api`, without a token. From its first use on, every response is checked against the document. */
  readonly client: Client
  /** What it has printed, line by line. */
  printed: string[]
  pid: number
  /** The processes that it has started and that still run. */
  children(): number[]
  signal(signal: NodeJS.Signals): void
  /** Resolves when the process has ended, to its exit code or to the signal that ended it. */
  ended: Promise<number | NodeJS.Signals | null>
  close(): Promise<void>
}

interface ProcessOptions {
  settings?: Record<string, string>
  /** How many files it may open. */
  openFilesMax?: number
  /** Called with each line that it prints, also during its start. */
  onLine?: (line: string, pid: number) => void
  /** False: its standard output is not read once it has started. */
  isRead?: boolean
  /** The folder of its source, if not this one. */
  checkout?: string
}

/** Starts the service in a process of its own, on the database of another one. */
export async function startProcess(
  { db, document }: TestApp,
  { settings = {}, openFilesMax, onLine = () => {}, isRead = true, checkout = root }: ProcessOptions = {},
): Promise<ServiceProcess> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'tenantry-process-'))
  const { host, port, database } = db.target as { host: string; port: number; database: string }
  const limit = openFilesMax === undefined ? '' : `ulimit -n ${openFilesMax}; `
  const child = spawn('/bin/bash', ['-c', `${limit}exec "$0" src/main.ts`, process.execPath], {
    cwd: checkout,
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      DATA_DIR: dataDir,
      DATABASE_URL: `postgres://tenantry@localhost:${port}/${database}?host=${encodeURIComponent(host)}`,
      RATE_LIMIT_ENABLED: 'false',
      CONSOLE_ENABLED: 'false',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit').then(([code, signal]) => code ?? signal)
  const printed: string[] = []
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) =>
    onLine(line, child.pid as number),
  )
  const address = await readAddress(child, printed)
  if (!isRead) child.stdout.pause()
  return {
    address,
    get client() {
      checkAnswersFrom(document, address)
      return new Client(`${address}/api`)
    },
    printed,
    pid: child.pid as number,
    children: () => childrenOf(child.pid as number),
    signal: (signal) => void child.kill(signal),
    ended,
    async close() {
      child.kill('SIGTERM')
      await ended
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

export function childrenOf(pid: number): number[] {
  const file = `/proc/${pid}/task/${pid}/children`
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ').filter(Boolean).map(Number) : []
}

async function readAddress(child: ChildProcess, printed: string[]): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  createInterface({ input: child.stdout as NodeJS.ReadableStream })
    .on('line', (line) => {
      printed.push(line)
      const [, address] = /^Tenantry listens at (\S+)\/api$/.exec(line) ?? []
      if (address) resolve(address)
    })
    .once('close', () => reject(new Error('The service did not start')))
  return promise
}
