import type { Logger } from 'pino'
import type { BuiltApp } from '../app.ts'
import type { Config } from '../config/config.ts'
import type { Deps } from '../deps.ts'
import type { MailWorker } from '../features/mail/delivery/worker.ts'
import { readOpenFilesMax } from '../http/connections.ts'
import type { RequestTimes } from '../http/request-times.ts'
import type { Channel } from '../metrics/processes.ts'
import type { MetricsServer } from '../metrics/server.ts'
import { readBuild } from './build.ts'
import { logCounts } from './log-output.ts'

export interface Measured {
  deps: Deps
  log: Logger
  built: BuiltApp
  mail: MailWorker
  requests: RequestTimes
  /** The primary process, which serves the metrics of all processes of this node; undefined: this is the only one. */
  primary: Channel | undefined
}

interface Metrics {
  /** Undefined: another process serves them. */
  address?: string
  stop(): Promise<void>
}

/** Loaded only where metrics are served. Undefined: METRICS_PORT is not set. */
export async function startMetricsOf(service: Measured): Promise<Metrics | undefined> {
  const { deps, log, built, mail, requests, primary } = service
  const { config, database, hashing } = deps
  if (!config.metrics) return undefined
  const { startMetrics } = await import('../metrics/start.ts')
  return startMetrics(
    { ...config.metrics, log, primary },
    {
      database,
      hashing,
      mail,
      requests,
      sealed: built.auditDeps.sealed,
      server: built.app.server,
      filesMax: readOpenFilesMax(),
      droppedLines: () => logCounts.dropped,
      build: { ...readBuild() },
    },
  )
}

/** For the primary process: serves the metrics of its worker processes together. */
export async function startNodeMetrics(
  { metrics }: Config,
  log: Logger,
  workers: () => Iterable<Channel>,
): Promise<MetricsServer | undefined> {
  if (!metrics) return undefined
  const { serveTogether } = await import('../metrics/start.ts')
  return serveTogether({ ...metrics, log }, workers)
}
