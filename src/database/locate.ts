import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { addressesOf, type Target } from './connection-settings.ts'
import { pathElsewhere } from './embedded/cluster.ts'
import { startEmbedded } from './embedded/embedded.ts'
import { isDirect, isPooledByTransaction, PoolerError } from './pooling.ts'
import { findDifference } from './same-database.ts'
import { NoWritableHostError, openClient, ReadOnlyHostError } from './writable-host.ts'

/** No database can be used. `message` is one sentence for the operator that says why. */
export class DatabaseMissingError extends Error {}

export interface Located {
  target: Target
  /** For migrations, which hold a lock over several transactions. */
  migrationTarget: Target
  /** The embedded PostgreSQL; undefined: the database of DATABASE_URL is used. */
  embedded: { version: string; owner: boolean } | undefined
  /** Stops the embedded PostgreSQL. Does nothing to the database of DATABASE_URL. */
  stop(): Promise<void>
}

/** Services are often started together with their database, which may need longer. */
const WAIT_MS_MAX = 30_000
const RETRY_DELAY_MS = 500
const CONNECT_MS_MAX = 5000

/** The database as other processes reach it, the embedded one while this process lives. */
export const targetElsewhere = (target: Target): Target =>
  'host' in target ? { ...target, host: pathElsewhere(target.host) } : target

type DatabaseConfig = Pick<Config, 'databaseUrl' | 'migrateDatabaseUrl' | 'dataDir'>

/**
 * The PostgreSQL of DATABASE_URL, for which it waits up to 30 seconds, or else the embedded one in DATA_DIR. Throws a
 * DatabaseMissingError or an EmbeddedError when neither can be used.
 */
export async function locateDatabase(config: DatabaseConfig, log: Logger, waitMsMax = WAIT_MS_MAX): Promise<Located> {
  return config.databaseUrl ? locateGiven(config, log, waitMsMax) : locateEmbedded(config, log)
}

async function locateGiven(config: DatabaseConfig, log: Logger, waitMsMax: number): Promise<Located> {
  const { databaseUrl = '', migrateDatabaseUrl } = config
  const waiting = { log, waitMsMax }
  const target = await waitFor('DATABASE_URL', databaseUrl, waiting)
  const migrationTarget = migrateDatabaseUrl
    ? await waitFor('MIGRATE_DATABASE_URL', migrateDatabaseUrl, waiting)
    : target
  if (migrationTarget.isPooledByTransaction)
    throw new DatabaseMissingError(
      migrateDatabaseUrl
        ? 'MIGRATE_DATABASE_URL leads through a pooler in transaction mode: it must name PostgreSQL itself, past the pooler.'
        : 'DATABASE_URL leads through a pooler in transaction mode: set MIGRATE_DATABASE_URL to the address of PostgreSQL itself.',
    )
  if (migrateDatabaseUrl) await assertSameDatabase(target, migrationTarget)
  return { target, migrationTarget, embedded: undefined, stop: async () => {} }
}

/** Otherwise the migrations would run in one database, and the service in another. */
async function assertSameDatabase(target: Target, migrationTarget: Target): Promise<void> {
  const difference = await findDifference(target, migrationTarget, CONNECT_MS_MAX).catch((error) => {
    throw new DatabaseMissingError(`DATABASE_URL and MIGRATE_DATABASE_URL can't be compared: ${error.message}`)
  })
  if (difference)
    throw new DatabaseMissingError(
      `MIGRATE_DATABASE_URL leads to ${difference}: it must name the same database as DATABASE_URL.`,
    )
}

async function locateEmbedded({ dataDir }: DatabaseConfig, log: Logger): Promise<Located> {
  const onRestart = (reason: string) => log.error({ reason }, 'the embedded PostgreSQL has ended and is restarted')
  const embedded = await startEmbedded({ dataDir, onRestart })
  const { connection, version, owner } = embedded
  return { target: connection, migrationTarget: connection, embedded: { version, owner }, stop: () => embedded.stop() }
}

async function waitFor(
  setting: string,
  connectionString: string,
  { log, waitMsMax }: { log: Logger; waitMsMax: number },
): Promise<Target> {
  const deadline = Date.now() + waitMsMax
  for (let tries = 0; ; tries++) {
    try {
      return await probe({ connectionString })
    } catch (error) {
      const { code = '', message } = error as NodeJS.ErrnoException
      if (error instanceof PoolerError) throw new DatabaseMissingError(`${setting} ${message}.`)
      if (!mayComeUp(error) || Date.now() > deadline)
        throw new DatabaseMissingError(`${setting}: ${inPlainWords(message || code)}`)
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

/** The target, when it can be used. A pooler in between is tried out. */
async function probe(target: Target): Promise<Target> {
  const open = () => openClient(target, { ...addressesOf(target)[0], connectionTimeoutMillis: CONNECT_MS_MAX })
  const client = await open()
  try {
    if (await isDirect(client)) return target
  } finally {
    client.end().catch(() => {})
  }
  return (await isPooledByTransaction(open)) ? { ...target, isPooledByTransaction: true } : target
}

function mayComeUp(error: unknown): boolean {
  if (error instanceof NoWritableHostError) return error.reasons.some(mayComeUp)
  const { code = '', syscall } = error as NodeJS.ErrnoException
  // With the system call `open` the missing file is a certificate in the address, not the socket of a server.
  return error instanceof ReadOnlyHostError || (MAY_COME_UP.test(code) && syscall !== 'open')
}

// No server listens at the address yet, its name is not known yet, or the server is starting.
const MAY_COME_UP = /^(ECONNREFUSED|ENOENT|EAI_AGAIN|ENOTFOUND|57P03)$/
