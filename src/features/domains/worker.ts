import type { Logger } from 'pino'
import type { Deps } from '../../deps.ts'
import { type BackgroundLoop, startBackgroundLoop } from '../../lib/background.ts'
import { recheckDomains } from './recheck.ts'

const INTERVAL_MS = 60_000
const BACK_OFF = { firstMs: 60_000, maxMs: 10 * 60_000 }

/** Checks verified domains again, each about once a day. Any number of processes may do so at once. */
export function startDomainsWorker(deps: Pick<Deps, 'config' | 'database'> & { log: Logger }): BackgroundLoop {
  const { log } = deps
  return startBackgroundLoop({
    name: 'domains worker',
    log,
    async round(signal) {
      const hasAnswers = await recheckDomains(deps, {
        signal,
        onFailure: (error, company) => log.warn({ err: error, company }, 'check of a domain not stored'),
      })
      if (!hasAnswers) log.warn('no name server answers: domains of companies are not checked')
    },
    intervalMs: INTERVAL_MS,
    backOff: BACK_OFF,
  })
}
