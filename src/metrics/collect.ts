import type { Server } from 'node:http'
import type { Database } from '../database/open.ts'
import { sessionCounts } from '../features/accounts/session-counts.ts'
import type { SealCounts } from '../features/audit/deps.ts'
import type { MailWorker } from '../features/mail/delivery/worker.ts'
import { limitCounts } from '../http/limit-counts.ts'
import type { RequestTimes } from '../http/request-times.ts'
import type { Hashing } from '../lib/hashing.ts'
import { type Backlog, backlogReader } from './backlog.ts'
import { startProcessMeter } from './process.ts'
import type { Labels, Sample, Samples } from './samples.ts'

/** The parts of the service that count what they do. */
export interface Sources {
  database: Database
  hashing: Hashing
  mail: Pick<MailWorker, 'tally' | 'healthy'>
  sealed: SealCounts
  requests: RequestTimes
  server: Server
  filesMax: number
  droppedLines(): number
  /** Such as the version: the labels of `tenantry_build_info`. */
  build: Labels
}

export interface Collector {
  /** `withBacklog`: also what waits in the database, which is the same for all processes. */
  collect(options?: { withBacklog?: boolean }): Promise<Samples>
  stop(): void
}

/** Reads what the parts have counted. Nothing here waits longer than the backlog may take. */
export function startCollector(sources: Sources): Collector {
  const meter = startProcessMeter()
  const readBacklog = backlogReader(sources.database)
  return {
    async collect({ withBacklog = true } = {}) {
      const [backlog, connections] = await Promise.all([
        withBacklog ? readBacklog() : undefined,
        countOf(sources.server),
      ])
      return {
        tenantry_build_info: [{ labels: sources.build, value: 1 }],
        tenantry_processes: one(1),
        ...requestSamples(sources, connections),
        ...databaseSamples(sources.database),
        ...(withBacklog && backlogSamples(backlog)),
        ...hashingSamples(sources.hashing),
        ...limitSamples(),
        ...sessionSamples(),
        ...mailSamples(sources.mail),
        ...auditSamples(sources.sealed),
        tenantry_log_dropped_lines_total: one(sources.droppedLines()),
        ...meter.samples(),
        process_max_fds: one(sources.filesMax),
      }
    },
    stop: () => meter.stop(),
  }
}

const one = (value: Sample['value']): Sample[] => [{ value }]

const countOf = (server: Server) =>
  new Promise<number>((resolve) => server.getConnections((error, count) => resolve(error ? 0 : count)))

function requestSamples({ requests }: Sources, connections: number): Samples {
  const series = requests.all()
  const failed = series.filter(({ status }) => status === 500).flatMap(({ times }) => times.counts)
  return {
    tenantry_http_request_duration_seconds: series.map(({ method, route, status, times }) => ({
      labels: { method, route, status: String(status) },
      value: times,
    })),
    // There from the start, because Prometheus sees no increase in a series that begins with its first error.
    tenantry_http_internal_errors_total: one(failed.reduce((sum, count) => sum + count, 0)),
    tenantry_http_connections: one(connections),
  }
}

function databaseSamples({ stats }: Database): Samples {
  const pools = (['read', 'write', 'exclusive'] as const).map((pool) => ({ labels: { pool }, ...stats[pool] }))
  return {
    tenantry_database_connections: pools.map(({ labels, open }) => ({ labels, value: open })),
    tenantry_database_connections_max: pools.map(({ labels, max }) => ({ labels, value: max })),
    tenantry_database_in_use: pools.map(({ labels, inUse }) => ({ labels, value: inUse })),
    tenantry_database_waiting: one(stats.waiting),
    tenantry_database_wait_seconds: one(stats.waits),
    tenantry_database_refused_total: one(stats.refused),
    tenantry_database_retries_total: one(stats.retries),
  }
}

/** Numbers that could not be read are left out, so that no alert takes an outage for an empty outbox. */
function backlogSamples(backlog: Backlog | undefined): Samples {
  if (!backlog) return { tenantry_database_up: one(0) }
  return {
    tenantry_database_up: one(1),
    tenantry_clock_ahead_seconds: one(backlog.clockAhead),
    tenantry_outbox_emails: one(backlog.emails),
    tenantry_outbox_oldest_seconds: one(backlog.oldestEmail),
    tenantry_outbox_overdue_seconds: one(backlog.overdueEmail),
    tenantry_audit_unsealed_records: one(backlog.records),
    tenantry_audit_unsealed_oldest_seconds: one(backlog.oldestRecord),
  }
}

function hashingSamples(hashing: Hashing): Samples {
  const { atOnceMax, running, waiting, refused } = hashing.stats()
  return {
    tenantry_hashing_slots: one(atOnceMax),
    tenantry_hashing_running: one(running),
    tenantry_hashing_waiting: one(waiting),
    tenantry_hashing_refused_total: one(refused),
  }
}

function limitSamples(): Samples {
  const limits = Array.from(limitCounts.byName, ([limit, counts]) => ({ labels: { limit }, ...counts }))
  return {
    tenantry_limit_requests_total: limits.map(({ labels, counted }) => ({ labels, value: counted })),
    tenantry_limit_refused_total: limits.map(({ labels, refused }) => ({ labels, value: refused })),
    tenantry_limit_fallbacks_total: one(limitCounts.fallbacks),
  }
}

function sessionSamples(): Samples {
  return {
    tenantry_sessions_created_total: one(sessionCounts.created),
    tenantry_sessions_revoked_total: Array.from(sessionCounts.revoked, ([reason, value]) => ({
      labels: { reason },
      value,
    })),
  }
}

function mailSamples(mail: Sources['mail']): Samples {
  return {
    tenantry_email_attempts_total: Object.entries(mail.tally()).map(([result, value]) => ({
      labels: { result },
      value,
    })),
    tenantry_email_worker_healthy: one(mail.healthy() ? 1 : 0),
  }
}

function auditSamples({ times, records, failures }: SealCounts): Samples {
  return {
    tenantry_audit_seal_duration_seconds: one(times),
    tenantry_audit_sealed_records_total: one(records),
    tenantry_audit_failures_total: one(failures),
  }
}
