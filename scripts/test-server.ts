import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { type Embedded, startEmbedded } from '../src/database/embedded/embedded.ts'
import { migrate } from '../src/database/migrate.ts'

const TEMPLATE = 'tenantry_template'

// Faster settings that risk the data in a power failure, which tests do not mind.
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '300',
  deadlock_timeout: '100ms',
}

const IN_MEMORY = '/dev/shm'
/** Several times what a run of all tests has needed. */
const MEMORY_MIN = 6 * 2 ** 30

/** Each test file copies a database of 600 files, which takes a disk twenty times as long as memory. */
function parentFolder(): string {
  if (process.env.TMPDIR || !existsSync(IN_MEMORY)) return tmpdir()
  const { bavail, bsize } = statfsSync(IN_MEMORY)
  return Math.min(bavail * bsize, freemem()) > MEMORY_MIN ? IN_MEMORY : tmpdir()
}

const PREFIX = 'tenantry-test-'

/** What a run has left that was killed would keep its memory until the machine starts again. The name has the process. */
function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = name.startsWith(PREFIX) && name.slice(PREFIX.length).split('-')[0]
    if (pid && /^\d+$/.test(pid) && !existsSync(`/proc/${pid}`))
      rmSync(path.join(parent, name), { recursive: true, force: true })
  }
}

export interface RunningTestServer {
  version: string
  /** For files of the run; `stop` removes it. */
  folder: string
  stop(): Promise<void>
}

/**
 * Starts a PostgreSQL in a folder of its own, with a migrated database to copy, and sets TEST_SERVER for test/support.
 * `binDir` is the folder with the binaries; undefined: those of the npm package.
 */
export async function startTestServer(binDir?: string): Promise<RunningTestServer> {
  const parent = parentFolder()
  if (parent === IN_MEMORY) removeAbandoned(parent)
  const dataDir = mkdtempSync(path.join(parent, `${PREFIX}${process.pid}-`))
  const remove = () => rmSync(dataDir, { recursive: true, force: true })
  const server = await startEmbedded({ dataDir, settings: SETTINGS, ...(binDir && { binDir }) }).catch((error) => {
    remove()
    throw error
  })
  const stop = () => server.stop().finally(remove)
  try {
    await createTemplate(server)
  } catch (error) {
    await stop()
    throw error
  }
  const host = path.join(dataDir, 'postgres')
  process.env.TEST_SERVER = JSON.stringify({ host, port: 5432, template: TEMPLATE, binDir })
  return { version: server.version, folder: dataDir, stop }
}

async function createTemplate({ superuser, connection }: Embedded): Promise<void> {
  const client = new pg.Client(superuser)
  await client.connect()
  await client.query(`create database ${TEMPLATE} owner tenantry`)
  await client.end()
  await migrate({ ...connection, database: TEMPLATE })
}
