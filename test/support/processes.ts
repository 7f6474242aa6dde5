import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { TestApp } from './app.ts'

const root = path.join(import.meta.dirname, '..', '..')

export interface ServiceProcess {
  address: string
  close(): Promise<void>
}

/** Starts the service in a process that may open this many files at most. */
export async function startWith(service: TestApp, openFilesMax: number): Promise<ServiceProcess> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'tenantry-connections-'))
  const { host, port, database } = service.db.target as { host: string; port: number; database: string }
  const command = `ulimit -n ${openFilesMax}; exec "$0" src/main.ts`
  const child = spawn('/bin/bash', ['-c', command, process.execPath], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      DATA_DIR: dataDir,
      DATABASE_URL: `postgres://tenantry@localhost:${port}/${database}?host=${encodeURIComponent(host)}`,
      RATE_LIMIT_ENABLED: 'false',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const address = await readAddress(child)
  return {
    address,
    async close() {
      child.kill('SIGTERM')
      await once(child, 'close')
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function readAddress(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    const [, address] = /^Tenantry listens at (\S+)\/api$/.exec(line) ?? []
    if (address) {
      child.stdout?.resume()
      return address
    }
  }
  throw new Error('The service did not start')
}
