import { lookup } from 'node:dns/promises'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { buildApp } from '../app.ts'
import { type Config, localUrl, type Tracing } from '../config/config.ts'
import { PRINTED_SECRET } from '../config/settings.ts'
import { createDeps, type Deps } from '../deps.ts'
import { startAuditWorker } from '../features/audit/worker/worker.ts'
import { startLinkRequestsWorker } from '../features/auth/handle-link-requests.ts'
import { type ConsoleBuild, findConsoleBuild } from '../features/console/build.ts'
import { startDomainsWorker } from '../features/domains/worker.ts'
import { startHousekeeping } from '../features/housekeeping/worker.ts'
import { openDelivery } from '../features/mail/delivery/delivery.ts'
import { type MailWorker, startMailWorker } from '../features/mail/delivery/worker.ts'
import { startNodeReports } from '../features/nodes/worker.ts'
import { startRolesWorker } from '../features/roles/worker.ts'
import type { DocumentationCredentials } from '../http/basic.ts'
import type { SharedCounters } from '../http/limits/counters.ts'
import { RequestTimes } from '../http/request-times.ts'
import type { Keys } from '../lib/keys.ts'
import { readBuild } from './build.ts'
import { Drain } from './drain.ts'
import { startMetricsOf } from './metrics.ts'
import { type PreparedDatabase, prepareDatabase } from './prepare-database.ts'

/** What a worker has not finished by then, another node or the next start does again. */
const WORKERS_STOP_MS = 6000

/** A service that accepts requests. */
export interface RunningService {
  config: Config
  /** Such as `http://127.0.0.1:3000`. */
  address: string
  /** What people open in a browser; undefined: the console is not served. */
  console: string | undefined
  /** Such as `http://127.0.0.1:9464/metrics`; undefined: no metrics are served. */
  metrics: string | undefined
  /** Who can read the interactive documentation; undefined: it is disabled. */
  documentation: DocumentationCredentials | undefined
  /** The path of the folder of the development mailbox; undefined: emails are sent by SMTP. */
  mailbox: string | undefined
  /** Whether programs on this machine can read the development mailbox without a password. */
  mailboxIsOpen: boolean
  /** The version of the embedded PostgreSQL; undefined: the database of DATABASE_URL is used. */
  embeddedVersion: string | undefined
  /**
   * Reports that it is not ready, and goes on serving for SHUTDOWN_DRAIN_SECONDS. Then accepts nothing new, finishes the
   * requests under way, and stops the workers and the database, in this order.
   */
  stop(): Promise<void>
  /** Ends the time in which a service that stops goes on serving; false: it had ended already. */
  skipDrain(): boolean
}

/** What one of several processes of a node shares with the others. */
export interface NodePart {
  database: PreparedDatabase
  nodeCounters: SharedCounters
}

/**
 * Starts the database, then the API, then the workers that send emails, answer requests for links, seal the audit log, delete
 * expired rows, finish replaced roles and check domains.
 * When one of them fails to start, those before it are stopped. Rejects with an error of exit.ts when the operator can
 * help.
 */
export async function startService(config: Config, log: Logger, part?: NodePart): Promise<RunningService> {
  const started: StopStep[] = []
  const stopAll = async () => {
    for (const stopOne of started.splice(0).reverse()) await stopOne()
  }
  const drain = new Drain(config.shutdownDrainMs)
  if (config.appSecretPrevious === PRINTED_SECRET)
    log.warn(
      'APP_SECRET_PREVIOUS is an example that everybody knows: anybody can make tokens that are accepted until it is removed',
    )
  try {
    const prepared = part?.database ?? (await prepareDatabase(config, log))
    started.push(() => prepared.stop())
    if (config.tracing) started.push(await startTraces(config.tracing, log, readBuild().version))
    const deps = await createDeps(config, prepared.target)
    started.push(() => deps.database.close())
    const served = await serve({ ...deps, nodeCounters: part?.nodeCounters }, log, { started, drain })
    const stop = () => drain.run().then(stopAll)
    const skipDrain = () => drain.skip()
    return { ...served, config, embeddedVersion: prepared.embeddedVersion, stop, skipDrain }
  } catch (error) {
    await stopAll()
    throw error
  }
}

type StopStep = () => Promise<unknown>
type ServeDeps = Deps & { nodeCounters: SharedCounters | undefined }

async function serve(deps: ServeDeps, log: Logger, { started, drain }: { started: StopStep[]; drain: Drain }) {
  const { config, database, keys } = deps
  const documentation = documentationCredentials(config, keys)
  const delivery = openDelivery(config)
  const requests = config.metrics && new RequestTimes()
  const consoleBuild = consoleBuildFor(config, log)
  let worker: MailWorker | undefined
  const built = await buildApp({
    ...deps,
    log,
    isMailHealthy: () => worker?.healthy() ?? false,
    isStopping: () => drain.hasBegun,
    mailbox: delivery.mailbox,
    documentationCredentials: documentation,
    consoleBuild,
    requestTimes: requests,
  })
  const { app, auditDeps } = built
  const { keyUse } = auditDeps
  const reports = startNodeReports({ database, keys, log, keyUse })
  started.push(() => within(WORKERS_STOP_MS, reports.stop()))
  await reports.begun
  const { address, port } = await listen(app, config)
  const appUrl = config.appUrl ?? localUrl(config.host, port)
  worker = startMailWorker({
    database,
    keys,
    delivery,
    appUrl,
    brand: config.brand,
    log,
    keyUse,
    processes: config.workers,
  })
  const workers = [
    worker,
    startLinkRequestsWorker({ config, database, keys, log }),
    startAuditWorker(auditDeps),
    startHousekeeping({ config, database, keys, log, keyUse }),
    startRolesWorker({ database, log }),
    startDomainsWorker({ config, database, log }),
  ]
  started.push(() => within(WORKERS_STOP_MS, Promise.all(workers.map((each) => each.stop()))))
  started.push(() => app.close())
  const primary = deps.nodeCounters && process
  const metrics = requests && (await startMetricsOf({ deps, log, built, mail: worker, requests, primary }))
  if (metrics) started.push(() => metrics.stop())
  const mailbox = delivery.mailbox && path.join(config.dataDir, 'mail')
  return {
    address,
    console: consoleBuild && appUrl,
    metrics: metrics?.address,
    documentation,
    mailbox,
    mailboxIsOpen: mailbox !== undefined && (await isMailboxOpen(app)),
  }
}

/** Loads the libraries only where a receiver of traces is set. */
async function startTraces(config: Tracing, log: Logger, version: string): Promise<() => Promise<void>> {
  const { startTracing } = await import('../tracing/start.ts')
  return startTracing({ config, log, version })
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work, timeout])
  clearTimeout(timer)
}

async function isMailboxOpen(app: FastifyInstance): Promise<boolean> {
  const { isReachedLocallyOnly } = await import('../features/mail/dev-pages/routes.ts')
  return isReachedLocallyOnly(app)
}

async function listen(app: FastifyInstance, { host, port }: Config) {
  // Fastify opens a second server for the other address of this name, without the limits of the first.
  await app.listen({ host: host === 'localhost' ? (await lookup(host)).address : host, port })
  const { port: actual } = app.server.address() as AddressInfo
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return { address: `http://${name.includes(':') ? `[${name}]` : name}:${actual}`, port: actual }
}

function consoleBuildFor({ console }: Config, log: Logger): ConsoleBuild | undefined {
  const build = console ? findConsoleBuild() : undefined
  if (console && !build) log.warn('the console is not built, so it is not served: run "npm ci", then "npm start"')
  return build
}

/** Without SWAGGER_PASSWORD the password is derived from APP_SECRET, so that it is the same at every start. */
function documentationCredentials({ documentation }: Config, keys: Keys): DocumentationCredentials | undefined {
  if (!documentation) return undefined
  const generated = keys.current.mac('documentation password v1', documentation.user).toString('base64url').slice(0, 16)
  return { user: documentation.user, password: documentation.password ?? generated }
}
