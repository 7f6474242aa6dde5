import type { AddressInfo } from 'node:net'
import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { buildApp } from '../app.ts'
import type { Config } from '../config/config.ts'
import { DatabaseMissingError, type Located, locateDatabase } from '../database/locate.ts'
import { migrate } from '../database/migrate.ts'
import { Database } from '../database/open.ts'
import { startAuditWorker } from '../features/audit/worker/worker.ts'
import { handleLinkRequests } from '../features/auth/link-requests.ts'
import { startHousekeeping } from '../features/housekeeping/worker.ts'
import { openDelivery } from '../features/mail/delivery/delivery.ts'
import { type MailWorker, startMailWorker } from '../features/mail/delivery/worker.ts'
import { isReachedLocallyOnly } from '../features/mail/dev-pages/routes.ts'
import type { DocumentationReader } from '../http/basic.ts'
import { createHashing } from '../lib/hashing.ts'
import { type Keys, keysFrom } from '../lib/keys.ts'

export interface Running {
  config: Config
  /** Such as `http://127.0.0.1:3000`. */
  address: string
  documentation: DocumentationReader | undefined
  /** The folder of the development mailbox; undefined: letters are sent. */
  mailbox: string | undefined
  /** Who can read it without a password: whatever runs on this machine, or nobody. */
  mailboxIsOpen: boolean
  /** The version of an own PostgreSQL. */
  version: string | undefined
  /** Takes no more requests, finishes those that came, then ends the workers and the database, in this order. */
  stop(): Promise<void>
}

/**
 * Database, then the API, then the workers that deliver letters, seal the audit and remove what is over; what was started
 * ends again when a later step fails.
 */
export async function startService(config: Config, log: Logger): Promise<Running> {
  const started: (() => Promise<void>)[] = []
  const stop = async () => {
    for (const end of started.splice(0).reverse()) await end()
  }
  try {
    const located = await locateDatabase(config, log)
    started.push(() => located.stop())
    assertOwner(located, config)
    if (config.production && located.embedded)
      log.warn('production without DATABASE_URL: the own PostgreSQL is meant for trials')
    await migrate(located.target, log)

    const database = new Database(located.target)
    started.push(() => database.close())
    return { ...(await serve(config, log, database, started)), config, version: located.embedded?.version, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function serve(config: Config, log: Logger, database: Database, started: (() => Promise<void>)[]) {
  const keys = keysFrom(config.appSecret, config.appSecretPrevious)
  const documentation = withCompanyLocale(config, keys)
  const delivery = openDelivery(config)
  let worker: MailWorker | undefined
  const { app } = await buildApp({
    config,
    database,
    keys,
    log,
    hashing: await createHashing(),
    mailIsHealthy: () => worker?.healthy() ?? false,
    mailbox: delivery.mailbox,
    documentationReader: documentation,
  })
  const address = await listen(app, config)
  const onFailure = (error: unknown, request: string) => log.error({ err: error, request }, 'recovery request failed')
  const beforeRound = () => handleLinkRequests({ config, database, keys, onFailure })
  worker = startMailWorker({
    database,
    keys,
    delivery,
    appUrl: config.appUrl ?? address,
    brand: config.brand,
    log,
    beforeRound,
  })
  started.push(() => (worker as MailWorker).stop())
  const auditWorker = startAuditWorker({ database, keys, log })
  started.push(() => auditWorker.stop())
  const housekeeping = startHousekeeping({ database, log })
  started.push(() => housekeeping.stop())
  started.push(() => app.close())
  const mailbox = delivery.mailbox && path.join(config.dataDir, 'mail')
  return { address, documentation, mailbox, mailboxIsOpen: isReachedLocallyOnly(app) }
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<string> {
  await app.listen({ host, port })
  const { port: actual } = app.server.address() as AddressInfo
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${actual}`
}

/** The password of the documentation, where none was chosen: the same at every start. */
function withCompanyLocale({ documentation }: Config, keys: Keys): DocumentationReader | undefined {
  if (!documentation) return undefined
  const generated = keys.current.mac('documentation password v1', documentation.user).toString('base64url').slice(0, 16)
  return { user: documentation.user, password: documentation.password ?? generated }
}

/** Another service keeps this database running, and would take it away when it ends. */
function assertOwner({ embedded }: Located, { dataDir }: Config): void {
  if (embedded?.owner === false) {
    throw new DatabaseMissingError(`Another service runs on ${dataDir}: stop it, or set DATA_DIR or DATABASE_URL.`)
  }
}
