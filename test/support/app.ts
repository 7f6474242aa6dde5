import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { type AppOptions, buildApp } from '../../src/app.ts'
import { readConfig } from '../../src/config/config.ts'
import type { Database } from '../../src/database/open.ts'
import { createDeps, type Deps } from '../../src/deps.ts'
import type { AuditDeps } from '../../src/features/audit/deps.ts'
import { handleLinkRequests } from '../../src/features/auth/handle-link-requests.ts'
import { startMailWorker } from '../../src/features/mail/delivery/worker.ts'
import type { Keys } from '../../src/lib/keys.ts'
import { createLog } from '../../src/process/log.ts'
import { builtDocument } from './built-document.ts'
import { Client } from './client.ts'
import { checkAnswersFrom } from './contract.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { createTestMailbox, type TestMailbox } from './mailbox.ts'

export interface TestApp {
  app: FastifyInstance
  document: object
  /** Below `/api`, without a token. */
  client: Client
  address: string
  keys: Keys
  database: Database
  /** The dependencies of the rules. */
  parts: Deps
  auditDeps: AuditDeps
  db: TestDatabase
  /** The emails that the service has sent. */
  mailbox: TestMailbox
  /** The log, line by line. */
  logged: string[]
  close(): Promise<void>
}

export const APP_URL = 'https://app.example.com'

/** Hashing at the cost that guards passwords would take a sixth of the time of the suite. */
const CHEAP = { memoryCost: 64, timeCost: 1, parallelism: 1 }

/** Nothing listens there, so that no test asks the network. */
const NO_NAME_SERVER = '127.0.0.1:1'

/** What most tests need takes the least time. */
export interface TestAppOptions
  extends Pick<AppOptions, 'nodeCounters' | 'redisTimeoutMs' | 'databaseTimeoutMs' | 'consoleBuild'> {
  hashesCheaply?: boolean
  servesDocumentation?: boolean
}

/** The service for all tests of a file, closed after the last one. Await it at the top of the file, before any test. */
export async function useTestApp(
  settings: Record<string, string> = {},
  options: TestAppOptions = {},
): Promise<TestApp> {
  const service = await startTestApp(settings, undefined, options)
  after(() => service.close())
  return service
}

/** Starts the service as in production, but without rate limits and with cheap hashes, on a new database or on a given one. */
export async function startTestApp(
  settings: Record<string, string> = {},
  shared?: TestDatabase,
  { hashesCheaply = true, servesDocumentation = false, ...options }: TestAppOptions = {},
): Promise<TestApp> {
  const db = shared ?? (await createTestDatabase())
  const secret = randomBytes(32).toString('base64url')
  const config = readConfig({
    NODE_ENV: 'test',
    APP_SECRET: secret,
    RATE_LIMIT_ENABLED: 'false',
    APP_URL,
    DNS_SERVERS: NO_NAME_SERVER,
    ...settings,
  })
  const deps = await createDeps(config, db.target, hashesCheaply ? { hashCost: CHEAP } : {})
  const { database, keys } = deps
  const logged: string[] = []
  const log = createLog('info', { write: (line: string) => void logged.push(line) })
  const documentationCredentials = servesDocumentation ? { user: 'docs', password: 'docs-password' } : undefined
  const parts: Deps & Pick<AppOptions, 'log' | 'documentationCredentials'> = {
    ...deps,
    log,
    documentationCredentials,
  }
  const conventions = { isMailHealthy: () => true, validateResponses: true, closeGraceMs: 0 }
  const built = await buildApp({ ...parts, ...options, ...conventions })
  const { app, auditDeps } = built
  const document = await builtDocument(built.document, config.brand.name)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const address = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`

  checkAnswersFrom(document, address)

  const mailbox = createTestMailbox()
  const onFailure = (error: unknown) => log.error({ err: error })
  const { delivery } = mailbox
  const worker = startMailWorker({
    database,
    keys,
    log,
    appUrl: APP_URL,
    brand: config.brand,
    delivery,
    idle: true,
  })
  mailbox.collect = async () => {
    while ((await handleLinkRequests({ ...parts, onFailure })) > 0);
    return worker.deliverDue()
  }
  return {
    app,
    document,
    client: new Client(`${address}/api`),
    address,
    keys,
    database,
    parts,
    auditDeps,
    db,
    mailbox,
    logged,
    async close() {
      await app.close()
      await worker.stop()
      await database.close()
      if (!shared) await db.drop()
    },
  }
}
