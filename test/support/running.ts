import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { readConfig } from '../../src/config/config.ts'
import { createLog } from '../../src/process/log.ts'
import { startService } from '../../src/process/start.ts'
import { Client } from './client.ts'
import { checkAnswersFrom } from './contract.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'

const DOCUMENT = path.join(import.meta.dirname, '..', '..', 'docs', 'openapi.json')

/** The whole service, with its workers, as `npm start` starts it. */
export interface RunningTestService {
  address: string
  /** Below `/api`, without a token. */
  client: Client
  db: TestDatabase
  /** The log, line by line. */
  logged: string[]
  /** The text of one scrape. */
  scrape(): Promise<string>
  close(): Promise<void>
}

export async function startRunningService(settings: Record<string, string> = {}): Promise<RunningTestService> {
  const db = await createTestDatabase()
  const dataDir = mkdtempSync(path.join(tmpdir(), 'tenantry-running-'))
  const { host, port, database } = db.target as { host: string; port: number; database: string }
  const config = readConfig({
    NODE_ENV: 'test',
    APP_SECRET: randomBytes(32).toString('base64url'),
    DATABASE_URL: `postgres://tenantry@localhost:${port}/${database}?host=${encodeURIComponent(host)}`,
    DATA_DIR: dataDir,
    PORT: '0',
    RATE_LIMIT_ENABLED: 'false',
    METRICS_PORT: '0',
    CONSOLE_ENABLED: 'false',
    ...settings,
  })
  const logged: string[] = []
  const log = createLog('debug', { write: (line: string) => void logged.push(line) })
  const running = await startService(config, log)
  checkAnswersFrom(JSON.parse(readFileSync(DOCUMENT, 'utf8')), running.address)
  return {
    address: running.address,
    client: new Client(`${running.address}/api`),
    db,
    logged,
    async scrape() {
      const response = await fetch(running.metrics as string)
      assert.equal(response.status, 200)
      return response.text()
    },
    async close() {
      await running.stop()
      await db.drop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** The value of one series, by its whole name such as `up{job="x"}`; undefined: there is none. */
export function sampleOf(text: string, series: string): number | undefined {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length + 1))
}

/** The labels of all series of one metric, as they are written. */
export function seriesOf(text: string, metric: string): string[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${metric}{`) || line.startsWith(`${metric} `))
    .map((line) => line.slice(metric.length, line.lastIndexOf(' ')))
}
