import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { Target } from './connection-settings.ts'
import { startEmbedded } from './embedded/embedded.ts'

/** No database can be used. `message` is one sentence for the operator that says why. */
export class DatabaseMissingError extends Error {}

export interface Located {
  target: Target
  /** The embedded PostgreSQL; undefined: the database of DATABASE_URL is used. */
  embedded: { version: string; owner: boolean } | undefined
  /** Stops the embedded PostgreSQL. Does nothing to the database of DATABASE_URL. */
  stop(): Promise<void>
}

/** Services are often started together with their database, which may need longer. */
const WAIT_MS_MAX = 30_000
const RETRY_DELAY_MS = 500
const CONNECT_MS_MAX = 5000

/**
 * The PostgreSQL of DATABASE_URL, for which it waits up to 30 seconds, or else the embedded one in DATA_DIR. Throws a
 * DatabaseMissingError or an EmbeddedError when neither can be used.
 */
export async function locateDatabase(
  { databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>,
  log: Logger,
  waitMsMax = WAIT_MS_MAX,
): Promise<Located> {
  if (databaseUrl) {
    const target = { connectionString: databaseUrl }
    await waitFor(target, log, waitMsMax)
    return { target, embedded: undefined, stop: async () => {} }
  }
  const onRestart = (reason: string) => log.error({ reason }, 'the embedded PostgreSQL has ended and is restarted')
  const embedded = await startEmbedded({ dataDir, onRestart })
  const { connection, version, owner } = embedded
  return { target: connection, embedded: { version, owner }, stop: () => embedded.stop() }
}

async function waitFor(target: Target, log: Logger, waitMsMax: number): Promise<void> {
  const deadline = Date.now() + waitMsMax
  for (let tries = 0; ; tries++) {
    try {
      return await probe(target)
    } catch (error) {
      const { code = '', syscall, message } = error as NodeJS.ErrnoException
      // With the system call `open` the missing file is a certificate in the address, not the socket of a server.
      if (!MAY_COME_UP.test(code) || syscall === 'open' || Date.now() > deadline)
        throw new DatabaseMissingError(`DATABASE_URL: ${inPlainWords(message || code)}`)
      if (tries === 0)
        log.warn({ reason: message }, `no connection to the database yet; waiting up to ${waitMsMax / 1000} seconds`)
      await pause(RETRY_DELAY_MS)
    }
  }
}

/** The driver's message for a missing password is about the protocol, not about the setting. */
const inPlainWords = (message: string) =>
  message.includes('client password must be a string')
    ? 'the server asks for a password, and the address has none'
    : message

async function probe(target: Target): Promise<void> {
  const client = new pg.Client({ ...target, connectionTimeoutMillis: CONNECT_MS_MAX })
  client.on('error', () => {})
  try {
    await client.connect()
  } finally {
    client.end().catch(() => {})
  }
}

// No server listens at the address yet, its name is not known yet, or the server is starting.
const MAY_COME_UP = /^(ECONNREFUSED|ENOENT|EAI_AGAIN|ENOTFOUND|57P03)$/
