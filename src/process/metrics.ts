import type { Logger } from 'pino'
import type { BuiltApp } from '../app.ts'
import type { Deps } from '../deps.ts'
import type { MailWorker } from '../features/mail/delivery/worker.ts'
import { readOpenFilesMax } from '../http/connections.ts'
import type { RequestTimes } from '../http/request-times.ts'
import type { MetricsServer } from '../metrics/server.ts'
import { readBuild } from './build.ts'
import { logCounts } from './log-output.ts'

export interface Measured {
  deps: Deps
  log: Logger
  built: BuiltApp
  mail: MailWorker
  requests: RequestTimes
}

/** Loaded only where metrics are served. Undefined: METRICS_PORT is not set. */
export async function startMetricsOf(service: Measured): Promise<MetricsServer | undefined> {
  const { deps, log, built, mail, requests } = service
  const { config, database, hashing } = deps
  if (!config.metrics) return undefined
  const { startMetrics } = await import('../metrics/start.ts')
  return startMetrics(
    { ...config.metrics, log },
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
