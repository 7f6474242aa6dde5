import { randomBytes, randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { ZodError } from 'zod'
import { type Brand, createBrand } from '../brand/brand.ts'
import { type Settings, secret, settings } from './settings.ts'

/** The settings in the environment are wrong; `message` has one line for each of them. */
export class ConfigError extends Error {}

export interface Config {
  production: boolean
  host: string
  port: number
  databaseUrl: string | undefined
  dataDir: string
  redisUrl: string | undefined
  appSecret: string
  appSecretPrevious: string | undefined
  /** Without a slash at the end; undefined: the address that the service listens on. */
  appUrl: string | undefined
  brand: Brand
  smtpUrl: string | undefined
  mailFrom: string
  documentation: Documentation | undefined
  rateLimit: { enabled: boolean; perMinute: number }
  emailLimits: EmailLimits
  requireVerifiedEmail: boolean
  temporaryPasswordHours: number
  passwordBlocklist: boolean
  trustProxy: string[]
  /** `loopback`: every origin of this machine. */
  corsOrigins: string[] | 'loopback'
  logLevel: string
}
/** Who may read the interactive documentation; without a password one is derived from the secret. */
export interface Documentation {
  user: string
  password: string | undefined
}

/** How many emails are sent at most. `null` bounds nothing. */
export interface EmailLimits {
  /** Of one kind to one recipient within an hour: for each company that sends them, or of nobody in particular. */
  perRecipient: number | null
  /** Of one kind to one recipient within an hour, of all companies together. */
  perMailbox: number | null
  /** For one company, and because of one account, within an hour: see `EMAILS_PER_HOUR`. */
  perSender: number | null
  /** Notices of one kind that one account can repeat, to one recipient within an hour. */
  noticesPerRecipient: number | null
  /** Links to recover the password of one account, asked for from networks that it knows, within an hour. */
  recoveriesFromKnownNetworks: number | null
  /** The same from all networks that it does not know, within a day. */
  recoveriesFromUnknownNetworks: number | null
}

/** Reads all settings at once, so that everything that is wrong is said in one go. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()))
  const result = settings.safeParse(given)
  const wrong = (result.error?.issues ?? []).map((issue) => `${issue.path.join('.')} ${issue.message}`)
  wrong.push(...contradictions(given))
  if (!result.success || wrong.length > 0) throw new ConfigError(wrong.join('\n'))

  return toConfig(result.data)
}

/** Asked of the plain text, so that a setting that can't be read hides none of them. */
function* contradictions(given: { [name in keyof Settings]?: string }): Generator<string> {
  const production = given.NODE_ENV === 'production'
  const documentation = given.SWAGGER_ENABLED === 'true'
  if (production && !given.APP_SECRET) yield 'APP_SECRET is missing: production needs at least 32 random characters'
  if (production && !given.SMTP_URL) yield 'SMTP_URL is missing: production sends its letters by SMTP'
  if (production && documentation) yield 'SWAGGER_ENABLED is true: production serves no documentation'
  if (!production && documentation && !(given.SWAGGER_USER && given.SWAGGER_PASSWORD)) {
    yield 'SWAGGER_ENABLED is true without both SWAGGER_USER and SWAGGER_PASSWORD'
  }
}

function toConfig(env: Settings): Config {
  const production = env.NODE_ENV === 'production'
  const dataDir = path.resolve(env.DATA_DIR)
  return {
    production,
    host: env.HOST,
    port: env.PORT,
    databaseUrl: env.DATABASE_URL,
    dataDir,
    redisUrl: env.REDIS_URL,
    appSecret: env.APP_SECRET ?? generatedSecret(dataDir),
    appSecretPrevious: env.APP_SECRET_PREVIOUS,
    appUrl: env.APP_URL?.replace(/\/+$/, ''),
    brand: brandFrom(env),
    smtpUrl: env.SMTP_URL,
    mailFrom: env.MAIL_FROM ?? defaultSender(env),
    documentation:
      (env.SWAGGER_ENABLED ?? !production)
        ? { user: env.SWAGGER_USER ?? 'docs', password: env.SWAGGER_PASSWORD }
        : undefined,
    rateLimit: { enabled: env.RATE_LIMIT_ENABLED, perMinute: env.RATE_LIMIT_PER_MINUTE },
    emailLimits: emailLimitsFrom(env),
    requireVerifiedEmail: env.REQUIRE_VERIFIED_EMAIL,
    temporaryPasswordHours: env.TEMPORARY_PASSWORD_HOURS,
    passwordBlocklist: env.PASSWORD_BLOCKLIST,
    trustProxy: env.TRUST_PROXY,
    corsOrigins: !production && env.CORS_ORIGINS.length === 0 ? 'loopback' : env.CORS_ORIGINS,
    logLevel: env.LOG_LEVEL,
  }
}

function emailLimitsFrom(env: Settings): EmailLimits {
  const within = (limit: number) => (env.RATE_LIMIT_ENABLED && limit > 0 ? limit : null)
  return {
    perRecipient: within(5),
    perMailbox: within(20),
    perSender: within(env.EMAILS_PER_HOUR),
    noticesPerRecipient: within(10),
    recoveriesFromKnownNetworks: within(20),
    recoveriesFromUnknownNetworks: within(20),
  }
}

function brandFrom({ APP_NAME: name, APP_ACCENT_COLOR: accentColor, APP_LOGO: logo }: Settings): Brand {
  try {
    return createBrand({ name, accentColor, logo })
  } catch (error) {
    throw new ConfigError(`APP_LOGO can't be used: ${(error as Error).message}`)
  }
}

function defaultSender({ APP_NAME, APP_URL }: Settings): string {
  const host = APP_URL ? new URL(APP_URL).hostname : 'localhost'
  return `${APP_NAME} <no-reply@${/^[\d.]+$|^\[/.test(host) ? 'localhost' : host}>`
}

/** Made at the first start and kept, so that sessions outlive a restart. */
function generatedSecret(dataDir: string): string {
  const file = path.join(dataDir, 'app-secret')
  try {
    if (!fs.existsSync(file)) keepNewSecret(file)
    return secret.parse(fs.readFileSync(file, 'utf8').trim())
  } catch (error) {
    const why = error instanceof ZodError ? `${file} ${error.issues[0]?.message}` : (error as Error).message
    throw new ConfigError(`DATA_DIR can't keep the secret that stands in for APP_SECRET: ${why}`)
  }
}

/** A file appears with all that is in it; of several processes that start at once the first to link its own wins. */
function keepNewSecret(file: string): void {
  const fresh = `${file}.${randomUUID()}`
  fs.mkdirSync(path.dirname(file), { recursive: true })
  try {
    fs.writeFileSync(fresh, randomBytes(32).toString('base64url'), { mode: 0o600 })
    fs.linkSync(fresh, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    fs.rmSync(fresh, { force: true })
  }
}
