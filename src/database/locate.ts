import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { startEmbedded } from './embedded/embedded.ts'
import type { Target } from './session.ts'

/** There is no database to work with; `message` says why in one sentence. */
export class DatabaseMissingError extends Error {}

export interface Located {
  target: Target
  /** The version of an own PostgreSQL; undefined for a given one. */
  embedded: { version: string; owner: boolean } | undefined
  stop(): Promise<void>
}

const PATIENCE_MS = 30_000

/** The PostgreSQL of DATABASE_URL or, when there is none, one of our own under DATA_DIR. */
export async function locateDatabase({ databaseUrl, dataDir }: Config, log: Logger): Promise<Located> {
  if (databaseUrl) {
    const target = { connectionString: databaseUrl }
    await waitFor(target, log)
    return { target, embedded: undefined, stop: async () => {} }
  }
  const onRestart = (reason: string) => log.error({ reason }, 'the embedded PostgreSQL ended and is started again')
  const own = await startEmbedded({ dataDir, onRestart })
  return { target: own.connection, embedded: { version: own.version, owner: own.owner }, stop: () => own.stop() }
}

/** Services are often started together with their database, which may need longer. */
async function waitFor(target: Target, log: Logger): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS
  for (let tries = 0; ; tries++) {
    try {
      return await knock(target)
    } catch (error) {
      const { code = '', syscall, message } = error as NodeJS.ErrnoException
      // A file that is missing is a certificate that the address names.
      if (!MAY_COME.test(code) || syscall === 'open' || Date.now() > deadline)
        throw new DatabaseMissingError(`DATABASE_URL: ${inPlainWords(message || code)}`)
      if (tries === 0) log.warn({ reason: message }, `no database yet; waiting up to ${PATIENCE_MS / 1000} seconds`)
      await pause(500)
    }
  }
}

/** The driver says in the protocol's words that it has no password to give. */
const inPlainWords = (message: string) =>
  message.includes('client password must be a string') ? 'the server asks for a password, and it has none' : message

async function knock(target: Target): Promise<void> {
  const client = new pg.Client({ ...target, connectionTimeoutMillis: 5000 })
  client.on('error', () => {})
  try {
    await client.connect()
  } finally {
    client.end().catch(() => {})
  }
}

// Nobody listens there yet; the server is starting up.
const MAY_COME = /^(ECONNREFUSED|ENOENT|EAI_AGAIN|ENOTFOUND|57P03)$/
