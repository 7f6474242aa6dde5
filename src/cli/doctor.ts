import { existsSync } from 'node:fs'
import path from 'node:path'
import { type Config, readConfig } from '../config/config.ts'
import { ConfigError } from '../config/config-error.ts'
import { type Finding, finding, inspectDatabase } from '../database/inspect.ts'
import { type Located, locateDatabase } from '../database/locate.ts'
import { keysFrom } from '../lib/keys.ts'
import { VERSION } from '../lib/version.ts'
import { createOperatorLog } from './operator-log.ts'

const CONNECT_MS = 5000

/** Takes the place of a secret that the first start generates: reading the settings would store it. */
const NO_SECRET_YET = 'not generated yet, and used for nothing here'

/** Everything that a start needs, looked at without changing anything. */
export async function diagnose(environment: Record<string, string | undefined>): Promise<Finding[]> {
  const versions = finding('version', 'ok', `Tenantry ${VERSION} on Node ${process.versions.node}`)
  const settings = inspectSettings(environment)
  if (!settings.config) return [versions, ...settings.findings]
  return [
    versions,
    ...settings.findings,
    ...(await inspectLocated(settings.config)),
    ...(await inspectRedis(settings.config)),
    ...(await inspectMail(settings.config)),
  ]
}

function inspectSettings(environment: Record<string, string | undefined>): { config?: Config; findings: Finding[] } {
  const secretFile = path.resolve(environment.DATA_DIR?.trim() || './data', 'app-secret')
  const isNamed = [environment.APP_SECRET, environment.APP_SECRET_FILE].some((text) => text?.trim())
  const isGenerated = !isNamed && environment.NODE_ENV !== 'production' && !existsSync(secretFile)
  try {
    const config = readConfig(isGenerated ? { ...environment, APP_SECRET: NO_SECRET_YET } : environment)
    const mode = config.production ? 'production' : 'development'
    const findings = [finding('settings', 'ok', `they can be read, for ${mode}`)]
    if (isGenerated)
      findings.push(finding('settings', 'fix', 'APP_SECRET is not set: a start generates one in DATA_DIR'))
    return { config, findings }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { findings: error.message.split('\n').map((line) => finding('settings', 'failed', line)) }
  }
}

async function inspectLocated(config: Config): Promise<Finding[]> {
  const { databaseUrl, dataDir } = config
  if (!databaseUrl && !existsSync(path.join(dataDir, 'postgres')))
    return [finding('database', 'fix', `a start creates an embedded PostgreSQL in ${dataDir}`)]
  let located: Located | undefined
  try {
    located = await locateDatabase(config, createOperatorLog(), 0)
    const { embedded, migrationTarget } = located
    const place = embedded ? `the embedded PostgreSQL in ${dataDir}` : 'DATABASE_URL'
    const kids = keysFrom(config.appSecret, config.appSecretPrevious).accepted.map(({ kid }) => kid)
    const connection = finding('database', 'ok', `connected to ${place}`)
    return [connection, ...(await inspectDatabase(migrationTarget, kids))]
  } catch (error) {
    return [finding('database', 'failed', (error as Error).message)]
  } finally {
    await located?.stop()
  }
}

async function inspectRedis({ redisUrl }: Config): Promise<Finding[]> {
  if (!redisUrl) return [finding('redis', 'ok', 'REDIS_URL is not set: each process counts its own rate limits')]
  const { pingRedis } = await import('../http/limits/redis-counters.ts')
  const consequence = 'each process counts its own rate limits meanwhile'
  return pingRedis(redisUrl, CONNECT_MS).then(
    () => [finding('redis', 'ok', 'it answers')],
    (error: Error) => [finding('redis', 'failed', `${error.message}: ${consequence}`)],
  )
}

async function inspectMail({ smtpUrl, dataDir }: Config): Promise<Finding[]> {
  if (!smtpUrl) return [finding('mail', 'ok', `SMTP_URL is not set: emails are files in ${path.join(dataDir, 'mail')}`)]
  const { verifySmtp } = await import('../features/mail/delivery/smtp.ts')
  return verifySmtp(smtpUrl).then(
    () => [finding('mail', 'ok', 'the mail server accepts the connection')],
    (error: Error) => [finding('mail', 'failed', `${error.message}: emails wait in the outbox for up to 24 hours`)],
  )
}
