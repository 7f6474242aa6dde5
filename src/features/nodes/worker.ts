import os from 'node:os'
import type { Logger } from 'pino'
import type { Database } from '../../database/open.ts'
import { type BackgroundLoop, startBackgroundLoop } from '../../lib/background.ts'
import { warningAboutClock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import type { KeyUse } from '../../lib/key-use.ts'
import type { Keys } from '../../lib/keys.ts'
import { VERSION } from '../../lib/version.ts'
import { KeyWatch } from './key-watch.ts'
import { reportNode, reportStopped } from './nodes.ts'

const INTERVAL_MS = 15_000
const BACK_OFF = { firstMs: INTERVAL_MS, maxMs: INTERVAL_MS }

interface NodeReports extends Pick<BackgroundLoop, 'stop'> {
  /** Resolves when the first report was made, or has failed. */
  begun: Promise<void>
}

interface ReportDeps {
  database: Database
  keys: Keys
  log: Logger
  /** Kept up to date: what this node may do with its keys. */
  keyUse: KeyUse
}

/**
 * Reports this node every few seconds, and once more when it stops. Logs when its clock and the database's part or meet, and when its
 * secret is not the one of the other nodes.
 */
export function startNodeReports({ database, keys, log, keyUse }: ReportDeps): NodeReports {
  const node = { id: newId(), host: os.hostname(), version: VERSION, keys }
  const keyWatch = new KeyWatch(keyUse, log)
  const begun = Promise.withResolvers<void>()
  let isClockOff = false
  async function report(): Promise<void> {
    const seconds = await reportNode(database, node)
    const warning = warningAboutClock(seconds)
    if (warning && !isClockOff) log.warn({ secondsAhead: seconds }, warning)
    if (!warning && isClockOff) log.info('the clocks of this machine and of the database agree again')
    isClockOff = warning !== undefined
    await keyWatch.look(database, keys)
  }
  const loop = startBackgroundLoop({
    name: 'node reports',
    log,
    round: () => report().finally(begun.resolve),
    intervalMs: INTERVAL_MS,
    backOff: BACK_OFF,
  })
  return {
    begun: begun.promise,
    async stop() {
      await loop.stop()
      await reportStopped(database, node.id).catch((error: unknown) =>
        log.warn({ err: error }, 'this node could not report that it stops'),
      )
    },
  }
}
