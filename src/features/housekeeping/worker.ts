import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import type { Database } from '../../database/open.ts'
import { type BackgroundLoop, startBackgroundLoop } from '../../lib/background.ts'
import type { KeyUse } from '../../lib/key-use.ts'
import type { Keys } from '../../lib/keys.ts'
import { carryOutFactorResets } from '../auth/reset-factors.ts'
import { remindOfSecondFactors } from '../companies/policy/reminders.ts'
import { purgeCompanies } from '../companies/purge-companies.ts'
import { DELETED_MAX, deleteExpired } from './housekeeping.ts'
import { renewSealed } from './renew-sealed.ts'

const FIRST_ROUND_MS = 5000
const INTERVAL_MS = 10 * 60_000
const BACK_OFF = { firstMs: 60_000, maxMs: INTERVAL_MS }

interface HousekeepingDeps {
  config: Pick<Config, 'emailLimits'>
  database: Database
  keys: Keys
  log: Logger
  keyUse: Pick<KeyUse, 'maySeal'>
  firstRoundMs?: number
}

/**
 * Deletes expired rows, removes second factors as operators have announced, purges deleted companies, reminds members of a second
 * factor that they will need, and seals anew what a former APP_SECRET has sealed, every few minutes. Any number of processes may do so at once.
 */
export function startHousekeeping(deps: HousekeepingDeps): BackgroundLoop {
  const { log, firstRoundMs = FIRST_ROUND_MS } = deps
  const loop = startBackgroundLoop({
    name: 'housekeeping',
    log,
    async round(signal) {
      const { isMoreLeft } = await keepHouse(deps, signal)
      // A flood leaves more challenges in ten minutes than one round deletes, and more companies than one purges.
      if (isMoreLeft) loop.nudge()
    },
    delayMs: firstRoundMs,
    intervalMs: INTERVAL_MS,
    backOff: BACK_OFF,
  })
  return loop
}

/** `isMoreLeft`: of expired rows, or of companies to purge. */
async function keepHouse(
  { config, database, keys, log, keyUse }: HousekeepingDeps,
  signal: AbortSignal,
): Promise<{ isMoreLeft: boolean }> {
  const deleted = await deleteExpired(database, signal, (error, table) =>
    log.warn({ err: error, table }, 'expired rows not deleted'),
  )
  if (Object.values(deleted).some((rows) => rows > 0)) log.info({ deleted }, 'deleted expired rows')
  // Whether the link in the email is still good, a node with another secret can't tell.
  if (keyUse.maySeal)
    await carryOutFactorResets(
      { database, keys },
      {
        signal,
        onReset: (account) => log.info({ account }, 'second factors removed'),
        onLapse: (account) => log.warn({ account }, 'announced removal of second factors lapsed'),
        onFailure: (error, account) => log.warn({ err: error, account }, 'second factors not removed'),
      },
    )
  await remindOfSecondFactors(database, {
    emailLimits: config.emailLimits,
    signal,
    onFailure: (error, company) => log.warn({ err: error, company }, 'members not reminded'),
  })
  const purges = await purgeCompanies(database, {
    signal,
    onPurged: (company) => log.info({ company }, 'deleted company purged'),
    onFailure: (error, company) => log.warn({ err: error, company }, 'deleted company not purged'),
  })
  const onFailure = (error: Error) => log.warn({ err: error }, 'value not sealed anew')
  const sealed = await renewSealed({ database, keys, keyUse, onFailure }, signal)
  if (sealed.renewed + sealed.left > 0) log.info(sealed, 'values of a former APP_SECRET sealed anew')
  return { isMoreLeft: purges.isMoreLeft || Object.values(deleted).some((rows) => rows >= DELETED_MAX) }
}
