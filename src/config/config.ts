import path from 'node:path'
import { type Brand, createBrand } from '../brand/brand.ts'
import type { AccessNames } from '../lib/keys.ts'
import { isLoopback } from '../lib/proxies.ts'
import { ConfigError } from './config-error.ts'
import { generatedSecret } from './generated-secret.ts'
import { type SECRET_SETTINGS, withSecretFiles } from './secret-files.ts'
import { type Settings, settings } from './settings.ts'

/** All settings, in the form that the code uses. docs and .env.example explain them. */
export interface Config {
  production: boolean
  host: string
  /** 0: a free port. */
  port: number
  /** The processes that serve requests on this machine. They divide among them what one process may have. */
  workers: number
  /** Undefined: the embedded PostgreSQL in `dataDir`. */
  databaseUrl: string | undefined
  /** For migrations, past a pooler; undefined: `databaseUrl`. */
  migrateDatabaseUrl: string | undefined
  /** An absolute path. */
  dataDir: string
  /** Undefined: each process counts for its own rate limits. */
  redisUrl: string | undefined
  appSecret: string
  /** Still accepted for what it has signed. */
  appSecretPrevious: string | undefined
  /** The base of links in emails, without a slash at the end; undefined: the address that the service listens on. */
  appUrl: string | undefined
  /** `iss` and `aud` of access tokens. */
  accessTokens: AccessNames
  /** Name, logo and color of pages and emails. */
  brand: Brand
  /** Undefined: emails go to the development mailbox. */
  smtpUrl: string | undefined
  mailFrom: string
  /** Whether the console is served, where it is built. */
  console: boolean
  /** Undefined: the interactive documentation is disabled. */
  documentation: Documentation | undefined
  rateLimit: RateLimit
  emailLimits: EmailLimits
  requireVerifiedEmail: boolean
  signUp: SignUp
  temporaryPasswordHours: number
  passwordBlocklist: boolean
  passkeys: PasskeyNames
  /** Addresses, networks (CIDR) and names of ranges, see lib/proxies.ts. */
  trustProxy: string[]
  /** `loopback`: every origin on this machine. */
  corsOrigins: string[] | 'loopback'
  /** The name servers that are asked for the records of domains; empty: those of this machine. */
  dnsServers: string[]
  /** How long the service goes on serving after a signal to stop, while it reports that it is not ready. */
  shutdownDrainMs: number
  logLevel: string
  /** Undefined: no metrics are served. Port 0: a free one. */
  metrics: { host: string; port: number } | undefined
  /** Undefined: nothing is traced. */
  tracing: Tracing | undefined
}

/** What passkeys are bound to. */
export interface PasskeyNames {
  /** A domain: passkeys work on its pages and on those of domains below it. */
  rpId: string
  /** Whose pages may use them. `loopback`: during development every port of this machine, by the name `localhost`. */
  origins: string[] | 'loopback'
}

/** The libraries read all other OTEL_* variables themselves. */
export interface Tracing {
  protocol: 'http/protobuf' | 'http/json'
}

/** Who can read the interactive documentation. Without a password one is derived from APP_SECRET. */
export interface Documentation {
  user: string
  password: string | undefined
}

/** Requests within a minute. */
export interface RateLimit {
  enabled: boolean
  /** From one network: RATE_LIMIT_PER_MINUTE. */
  perMinute: number
  /** From one account: RATE_LIMIT_SIGNED_IN_PER_MINUTE. Undefined: accounts are not counted. */
  signedInPerMinute: number | undefined
}

/** Who creates an account of their own: everyone, people with an invitation by email, or no one. */
export type SignUp = Settings['SIGN_UP']

/** How many emails are sent at most. `null`: no limit. See docs/decisions/0019-email-bounds.md. */
export interface EmailLimits {
  /** Of one kind to one recipient within an hour, from each company, and from the service itself. */
  perRecipient: number | null
  /** Of one kind to one recipient within an hour, from all companies together. */
  perMailbox: number | null
  /** From one company, and caused by one account, within an hour: EMAILS_PER_HOUR. */
  perSender: number | null
  /** Notices of one kind, which an account can cause again and again, to one recipient within an hour. */
  noticesPerRecipient: number | null
  /** Password reset links for one account within an hour, requested from networks that it has signed in from. */
  linksFromKnownNetworks: number | null
  /** The same within a day, requested from all other networks. */
  linksFromUnknownNetworks: number | null
}

const REQUIRED_IN_PRODUCTION = {
  APP_SECRET: 'production needs at least 32 random characters',
  APP_URL: 'links in emails and the issuer of tokens need the public address',
  DATABASE_URL: 'production needs a PostgreSQL server of its own',
  MAIL_FROM: 'emails need a sender',
  SMTP_URL: 'production sends emails by SMTP',
}

/** Reads all settings. Throws a ConfigError that names every wrong one. Empty and blank variables count as unset. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const { variables, errors } = readVariables(environment)
  const result = settings.safeParse(variables)
  for (const { path, message } of result.error?.issues ?? []) errors.push(`${path.join('.')} ${message}`)
  errors.push(...contradictions(variables))
  if (result.success) errors.push(...passkeyContradictions(result.data))
  if (!result.success || errors.length > 0) throw new ConfigError(errors.join('\n'))

  return toConfig(result.data, variables.APP_SECRET)
}

/** One of the variables with a secret, which may be in a file. Throws a ConfigError when that can't be read. */
export function readSecretSetting(
  environment: Record<string, string | undefined>,
  name: (typeof SECRET_SETTINGS)[number],
): string | undefined {
  const { variables, errors } = readVariables(environment)
  const error = errors.find((each) => each.startsWith(`${name}_FILE `))
  if (error !== undefined) throw new ConfigError(error)
  return variables[name]
}

function readVariables(environment: Record<string, string | undefined>) {
  return withSecretFiles(Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim())))
}

/** Checks the text of the variables, so that these errors are reported together with settings that can't be parsed. */
function* contradictions(variables: Record<string, string | undefined>): Generator<string> {
  const production = variables.NODE_ENV === 'production'
  const documentation = variables.SWAGGER_ENABLED === 'true'
  for (const [name, reason] of production ? Object.entries(REQUIRED_IN_PRODUCTION) : [])
    if (!variables[name] && !variables[`${name}_FILE`]) yield `${name} is missing: ${reason}`
  if (production && documentation) yield 'SWAGGER_ENABLED is true: production serves no documentation'
  const [secret, previous] = [variables.APP_SECRET?.trim(), variables.APP_SECRET_PREVIOUS?.trim()]
  if (secret && secret === previous) yield 'APP_SECRET_PREVIOUS is the same as APP_SECRET'
  if (!production && documentation && !(variables.SWAGGER_USER && variables.SWAGGER_PASSWORD)) {
    yield 'SWAGGER_ENABLED is true without both SWAGGER_USER and SWAGGER_PASSWORD'
  }
}

/** A passkey of one domain never works on the pages of another one: browsers do not even offer it. */
function* passkeyContradictions(env: Settings): Generator<string> {
  const { rpId, origins } = passkeysFrom(env)
  if (env.PASSKEY_RP_ID && !isWithin(new URL(ownUrl(env)), rpId))
    yield 'PASSKEY_RP_ID is neither the host of APP_URL nor a domain above it'
  const others = origins === 'loopback' ? [] : env.PASSKEY_ORIGINS.map((origin) => new URL(origin))
  if (others.some((origin) => origin.protocol !== 'android:' && !isWithin(origin, rpId)))
    yield `PASSKEY_ORIGINS names an origin outside of the domain of passkeys, which is ${env.PASSKEY_RP_ID ? 'PASSKEY_RP_ID' : 'the host of APP_URL'}`
}

const isWithin = ({ hostname }: URL, domain: string) => hostname === domain || hostname.endsWith(`.${domain}`)

function toConfig(env: Settings, writtenSecret: string | undefined): Config {
  const production = env.NODE_ENV === 'production'
  const dataDir = path.resolve(env.DATA_DIR)
  const appUrl = appUrlFrom(env)
  return {
    production,
    host: env.HOST,
    port: env.PORT,
    workers: env.WORKERS,
    databaseUrl: env.DATABASE_URL,
    migrateDatabaseUrl: env.MIGRATE_DATABASE_URL,
    dataDir,
    redisUrl: env.REDIS_URL,
    appSecret: env.APP_SECRET ?? generatedSecret(dataDir),
    appSecretPrevious: env.APP_SECRET_PREVIOUS ?? formerReading(env, writtenSecret),
    appUrl,
    accessTokens: { iss: ownUrl(env), aud: env.ACCESS_TOKEN_AUDIENCE },
    brand: brandFrom(env),
    smtpUrl: env.SMTP_URL,
    mailFrom: env.MAIL_FROM ?? defaultSender(env),
    console: env.CONSOLE_ENABLED,
    documentation:
      (env.SWAGGER_ENABLED ?? !production)
        ? { user: env.SWAGGER_USER ?? 'docs', password: env.SWAGGER_PASSWORD }
        : undefined,
    rateLimit: {
      enabled: env.RATE_LIMIT_ENABLED,
      perMinute: env.RATE_LIMIT_PER_MINUTE,
      signedInPerMinute: env.RATE_LIMIT_SIGNED_IN_PER_MINUTE,
    },
    emailLimits: emailLimitsFrom(env),
    requireVerifiedEmail: env.REQUIRE_VERIFIED_EMAIL,
    signUp: env.SIGN_UP,
    temporaryPasswordHours: env.TEMPORARY_PASSWORD_HOURS,
    passwordBlocklist: env.PASSWORD_BLOCKLIST,
    passkeys: passkeysFrom(env),
    trustProxy: env.TRUST_PROXY,
    corsOrigins: !production && env.CORS_ORIGINS.length === 0 ? 'loopback' : env.CORS_ORIGINS,
    dnsServers: env.DNS_SERVERS,
    shutdownDrainMs: (env.SHUTDOWN_DRAIN_SECONDS ?? (production ? 5 : 0)) * 1000,
    logLevel: env.LOG_LEVEL,
    metrics: env.METRICS_PORT === undefined ? undefined : { host: env.METRICS_HOST, port: env.METRICS_PORT },
    tracing: tracingFrom(env),
  }
}

/** Release 0.2.0 took white space around APP_SECRET for a part of it. What that signed stays valid. */
const formerReading = ({ APP_SECRET }: Settings, written: string | undefined): string | undefined =>
  written === APP_SECRET ? undefined : written

const appUrlFrom = ({ APP_URL }: Settings): string | undefined => APP_URL?.replace(/\/+$/, '')
const ownUrl = (env: Settings): string => appUrlFrom(env) ?? localUrl(env.HOST, env.PORT)

/** Without APP_URL the pages may be anywhere on this machine: a front end in development has a port of its own. */
function passkeysFrom(env: Settings): PasskeyNames {
  const { hostname, origin } = new URL(ownUrl(env))
  const isAnyPort = !env.APP_URL && env.PASSKEY_ORIGINS.length === 0 && hostname === 'localhost'
  return {
    rpId: env.PASSKEY_RP_ID ?? hostname,
    origins: isAnyPort ? 'loopback' : [...new Set([origin, ...env.PASSKEY_ORIGINS])],
  }
}

/**
 * The address by which a browser on this machine reaches the service: by name where it is a loopback address, because
 * passkeys and cookies are bound to names.
 */
export function localUrl(host: string, port: number): string {
  const name = host === 'localhost' || isLoopback(host) || host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`
}

function emailLimitsFrom(env: Settings): EmailLimits {
  const within = (limit: number) => (env.RATE_LIMIT_ENABLED && limit > 0 ? limit : null)
  return {
    perRecipient: within(5),
    perMailbox: within(20),
    perSender: within(env.EMAILS_PER_HOUR),
    noticesPerRecipient: within(10),
    linksFromKnownNetworks: within(20),
    linksFromUnknownNetworks: within(20),
  }
}

/** On when a receiver is named, or when traces are asked for: then they go to the standard address on this machine. */
function tracingFrom(env: Settings): Tracing | undefined {
  const isNamed = env.OTEL_EXPORTER_OTLP_ENDPOINT ?? env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
  const isOn = env.OTEL_TRACES_EXPORTER === 'otlp' || (isNamed && env.OTEL_TRACES_EXPORTER !== 'none')
  return isOn && !env.OTEL_SDK_DISABLED ? { protocol: env.OTEL_EXPORTER_OTLP_PROTOCOL } : undefined
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
