import type { Logger } from 'pino'
import type { Database } from '../../database/open.ts'
import { type BackgroundLoop, startBackgroundLoop } from '../../lib/background.ts'
import { purgeCompanies } from '../companies/purge-companies.ts'
import { deleteExpired } from './housekeeping.ts'

const FIRST_ROUND_MS = 5000
const INTERVAL_MS = 10 * 60_000
const BACK_OFF = { firstMs: 60_000, maxMs: INTERVAL_MS }

/** Deletes expired rows and purges deleted companies every few minutes. Any number of processes may do so at once. */
export function startHousekeeping(deps: { database: Database; log: Logger; firstRoundMs?: number }): BackgroundLoop {
  const { log, firstRoundMs = FIRST_ROUND_MS } = deps
  return startBackgroundLoop({
    name: 'housekeeping',
    log,
    round: (signal) => keepHouse(deps.database, log, signal),
    delayMs: firstRoundMs,
    intervalMs: INTERVAL_MS,
    backOff: BACK_OFF,
  })
}

async function keepHouse(database: Database, log: Logger, signal: AbortSignal): Promise<void> {
  const deleted = await deleteExpired(database, signal, (error, table) =>
    log.warn({ err: error, table }, 'expired rows not deleted'),
  )
  if (Object.values(deleted).some((rows) => rows > 0)) log.info({ deleted }, 'deleted expired rows')
  await purgeCompanies(database, {
    signal,
    onPurged: (company) => log.info({ company }, 'deleted company purged'),
    onFailure: (error, company) => log.warn({ err: error, company }, 'deleted company not purged'),
  })
}
