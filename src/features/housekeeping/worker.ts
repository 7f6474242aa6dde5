import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Database } from '../../database/open.ts'
import { purgeCompanies } from '../companies/purge-companies.ts'
import { deleteExpired } from './housekeeping.ts'

const FIRST_ROUND_MS = 5000
const PAUSE_MS = 10 * 60_000

export interface Housekeeping {
  /** After the batch in hand. */
  stop(): Promise<void>
}

/** Removes what is over every few minutes, beside any number of others who do the same. */
export function startHousekeeping(parts: { database: Database; log: Logger; firstRoundMs?: number }): Housekeeping {
  const stopping = new AbortController()
  const loop = keepHouse(parts.database, parts.log, stopping.signal, parts.firstRoundMs ?? FIRST_ROUND_MS)
  return {
    async stop() {
      stopping.abort()
      await loop
    },
  }
}

async function keepHouse(database: Database, log: Logger, signal: AbortSignal, firstRoundMs: number): Promise<void> {
  const wait = (ms: number) => pause(ms, undefined, { signal }).catch(() => {})
  for (await wait(firstRoundMs); !signal.aborted; await wait(PAUSE_MS)) {
    const onFailure = (error: Error, table: string) => log.warn({ err: error, table }, 'housekeeping failed')
    const removed = await deleteExpired(database, signal, onFailure)
    if (Object.values(removed).some((rows) => rows > 0)) log.info({ removed }, 'removed what is over')
    await purgeCompanies(database, {
      signal,
      onPurged: (company) => log.info({ company }, 'company removed for good'),
      onFailure: (error, company) => log.warn({ err: error, company }, 'company not removed'),
    }).catch((error) => log.warn({ err: error }, 'companies not removed'))
  }
}
