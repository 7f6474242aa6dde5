import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { drive, driveBeside } from './drive/load.ts'
import { cpuMicrosOf, postgresMicrosOf, usedBetween } from './drive/usage.ts'
import { median } from './report/numbers.ts'
import type { Row } from './requests/rows.ts'
import { databases, type Product } from './servers/services.ts'

export interface Times {
  rounds: number
  warmUpSeconds: number
  seconds: number
}

/** What is measured, and the database's superuser, who sees what is left to do. */
export interface Target {
  pid: number
  port: number
  /** Undefined: the product does everything before it responds. */
  background: pg.Client | undefined
}

/** One window of one product, or the medians of some. CPU in microseconds for each request. */
export interface Measured {
  perSecond: number
  p50: number
  p99: number
  /** Of the service's process and of PostgreSQL; undefined: something else ran beside it. */
  cpu: { service: number; postgres: number } | undefined
}

const SETTLE_MS_MAX = 60_000

/**
 * Measures one window. The CPU includes what the requests leave to the background, such as sealing their audit records:
 * it is read when that is done.
 */
export async function measureWindow(
  product: Product,
  row: Row,
  { pid, port, background }: Target,
  serverPid: number,
  { warmUpSeconds, seconds }: Times,
): Promise<Measured | undefined> {
  const load = await row.loads[product]?.()
  if (!load) return undefined
  const beside = await row.beside?.[product]?.()
  const other = beside && driveBeside(port, beside)
  try {
    await drive(port, load, warmUpSeconds)
    await settle(background)
    const readCpu = () => ({ service: cpuMicrosOf(pid), postgres: postgresMicrosOf(serverPid, databases[product]) })
    const before = readCpu()
    const { requests, seconds: elapsed, latencies } = await drive(port, load, seconds)
    await settle(background)
    const after = readCpu()
    const quantile = (share: number) => latencies[Math.min(requests - 1, Math.floor(requests * share))] as number
    return {
      perSecond: requests / elapsed,
      p50: quantile(0.5),
      p99: quantile(0.99),
      cpu: other
        ? undefined
        : {
            service: (after.service - before.service) / requests,
            postgres: usedBetween(before.postgres, after.postgres) / requests,
          },
    }
  } finally {
    await other?.stop()
  }
}

/** Waits until the service has sealed its audit records and sent its emails. */
async function settle(background: pg.Client | undefined): Promise<void> {
  if (!background) return
  for (const since = performance.now(); performance.now() - since < SETTLE_MS_MAX; ) {
    const { rows } = await background.query(
      `select exists (select from audit_records where seq is null and company_id is not null)
         or exists (select from emails where status = 'pending') as is_busy`,
    )
    if (!rows[0].is_busy) return
    await pause(50)
  }
  throw new Error(`The service has not done its background work within ${SETTLE_MS_MAX / 1000} seconds`)
}

export function mediansOf(windows: readonly Measured[]): Measured {
  const of = (value: (window: Measured) => number) => median(windows.map(value))
  const withCpu = windows.flatMap(({ cpu }) => cpu ?? [])
  return {
    perSecond: of(({ perSecond }) => perSecond),
    p50: of(({ p50 }) => p50),
    p99: of(({ p99 }) => p99),
    cpu:
      withCpu.length === 0
        ? undefined
        : {
            service: median(withCpu.map(({ service }) => service)),
            postgres: median(withCpu.map(({ postgres }) => postgres)),
          },
  }
}
