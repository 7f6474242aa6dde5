import type { Logger } from 'pino'
import type { Database } from '../../database/open.ts'
import { type BackgroundLoop, startBackgroundLoop } from '../../lib/background.ts'
import { rewriteReplacedRoles } from './replaced-roles.ts'

const INTERVAL_MS = 5000
const BACK_OFF = { firstMs: 10_000, maxMs: 10 * 60_000 }

/** Gives members of replaced roles their new role. Any number of processes may do so at once. */
export function startRolesWorker({ database, log }: { database: Database; log: Logger }): BackgroundLoop {
  return startBackgroundLoop({
    name: 'roles worker',
    log,
    round: (signal) =>
      rewriteReplacedRoles(database, {
        signal,
        onFailure: (error, company) => log.warn({ err: error, company }, 'replaced roles not rewritten'),
      }),
    intervalMs: INTERVAL_MS,
    backOff: BACK_OFF,
  })
}
