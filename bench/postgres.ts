import { readFileSync, realpathSync } from 'node:fs'
import { totalmem } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { startEmbedded } from '../src/database/embedded/embedded.ts'

const GIB = 2 ** 30

/** As an operator would set them on this machine. Everything else is PostgreSQL's default, so every commit is durable. */
const runSettings = {
  shared_buffers: `${Math.min(4, Math.max(1, Math.round(totalmem() / GIB / 4)))}GB`,
  max_wal_size: '8GB',
  checkpoint_timeout: '30min',
  max_connections: '200',
}
/** For the load, after which the data is written to disk. */
const loadSettings = {
  ...runSettings,
  wal_level: 'minimal',
  max_wal_senders: '0',
  fsync: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  max_wal_size: '16GB',
}

export interface Postgres {
  version: string
  settings: Record<string, string>
  /** The process id of the server, whose children are its backends. */
  pid: number
  /** Connects as the superuser. */
  connect(database?: string): Promise<pg.Client>
  /** As the services connect: a role that owns its databases. */
  urlOf(database: string): string
  /** Makes a database, or a copy of one; replaces what had the name. */
  create(database: string, template?: string): Promise<void>
  stop(): Promise<void>
}

/** Starts a PostgreSQL on the folder: the embedded one, or that of `binDir`. */
export async function startPostgres(
  dataDir: string,
  { binDir, isLoading = false }: { binDir?: string | undefined; isLoading?: boolean } = {},
): Promise<Postgres> {
  const settings = isLoading ? loadSettings : runSettings
  const server = await startEmbedded({ dataDir, settings, ...(binDir && { binDir }) })
  const socketDir = path.join(realpathSync(dataDir), 'postgres')
  const connect = async (database = 'postgres') => {
    const client = new pg.Client({ ...server.superuser, database })
    await client.connect()
    return client
  }
  const execute = async (...statements: string[]) => {
    const client = await connect()
    try {
      for (const statement of statements) await client.query(statement)
    } finally {
      await client.end()
    }
  }
  return {
    version: server.version,
    settings,
    pid: Number.parseInt(readFileSync(path.join(socketDir, 'postmaster.pid'), 'utf8'), 10),
    connect,
    urlOf: (database) => `postgres://tenantry@localhost/${database}?host=${encodeURIComponent(socketDir)}`,
    create: (database, template = 'template0') =>
      execute(
        `drop database if exists ${database} with (force)`,
        `create database ${database} owner tenantry template ${template}${template === 'template0' ? '' : ' strategy file_copy'}`,
      ),
    async stop() {
      await execute('checkpoint')
      await server.stop()
    },
  }
}
