import os from 'node:os'
import type { Logger } from 'pino'
import type { Database } from '../../database/open.ts'
import { type BackgroundLoop, startBackgroundLoop } from '../../lib/background.ts'
import { warningAboutClock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import type { Keys } from '../../lib/keys.ts'
import { VERSION } from '../../lib/version.ts'
import { reportNode, reportStopped } from './nodes.ts'

const INTERVAL_MS = 15_000
const BACK_OFF = { firstMs: INTERVAL_MS, maxMs: INTERVAL_MS }

/** Reports this node every few seconds, and once more when it stops. Logs when its clock and the database's part or meet. */
export function startNodeReports(deps: { database: Database; keys: Keys; log: Logger }): Pick<BackgroundLoop, 'stop'> {
  const { database, keys, log } = deps
  const node = { id: newId(), host: os.hostname(), version: VERSION, keys }
  let isClockOff = false
  const loop = startBackgroundLoop({
    name: 'node reports',
    log,
    async round() {
      const seconds = await reportNode(database, node)
      const warning = warningAboutClock(seconds)
      if (warning && !isClockOff) log.warn({ secondsAhead: seconds }, warning)
      if (!warning && isClockOff) log.info('the clocks of this machine and of the database agree again')
      isClockOff = warning !== undefined
    },
    intervalMs: INTERVAL_MS,
    backOff: BACK_OFF,
  })
  return {
    async stop() {
      await loop.stop()
      await reportStopped(database, node.id).catch((error: unknown) =>
        log.warn({ err: error }, 'this node could not report that it stops'),
      )
    },
  }
}
