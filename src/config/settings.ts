import net from 'node:net'
import { z } from 'zod'
import { DEFAULT_ACCENT_COLOR, DEFAULT_NAME } from '../brand/brand.ts'
import { isColor, toColor } from '../brand/colors.ts'
import { addressesIn, sessionAttributesIn } from '../lib/database-urls.ts'
import { plainAddress } from '../lib/networks.ts'

const flag = z.enum(['true', 'false'], 'is neither "true" nor "false"').transform((text) => text === 'true')
const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'is not a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `is not between ${min} and ${max}`)
const url = (...schemes: string[]) =>
  z
    .string()
    .refine(
      (text) => URL.canParse(text) && !/\s/.test(text) && schemes.some((scheme) => text.startsWith(`${scheme}//`)),
      { error: `is not a ${schemes.map((scheme) => `${scheme}//`).join(' or ')} address`, abort: true },
    )
const host = z
  .string()
  .refine(
    (text) => net.isIP(text) !== 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text),
    'is no IP address or host name',
  )
const postgresUrl = url('postgres:', 'postgresql:')
const databaseUrl = z
  .string()
  .refine((text) => addressesIn(text).every((each) => postgresUrl.safeParse(each).success), {
    error: 'is not a postgres:// or postgresql:// address',
    abort: true,
  })
  .refine(
    (text) => ['read-write', 'primary', undefined].includes(sessionAttributesIn(text)),
    'has a target_session_attrs other than read-write and primary',
  )
const hasHost = (text: string) => URL.parse(text)?.hostname !== ''
/** Paths are appended to the address, so it can have no query and no fragment. */
const isBase = (text: string) => !/[?#]/.test(text) && URL.parse(text)?.username === ''
const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
)

const EXAMPLE_SECRETS = /change.?me|example|secret.{0,3}(here|key)|your.{0,3}secret|openssl rand|^(0123456789|abcdef)/i
/** The examples in docs/configuration.md, which every reader knows. Release 0.2.0 accepted the first one. */
export const PRINTED_SECRET = 'mWb0x7u3Qf2rTt9LcVZy5sKpN8eHjD4aGiRoEqU1'
const PRINTED_SECRETS = [PRINTED_SECRET, 'Jt6vXq1nB9zLw3RkYd8mPf5hSg2cTa7uEoVi4NbC']
/** White space around it is no part of it, wherever it comes from. */
const longSecret = z.string().trim().min(32, { error: 'is shorter than 32 characters', abort: true })
const isOwn = (text: string) =>
  !EXAMPLE_SECRETS.test(text) && !PRINTED_SECRETS.includes(text) && new Set(text).size >= 8
const NOT_OWN = 'is an example text or has fewer than 8 different characters'
export const secret = longSecret.refine(isOwn, NOT_OWN)
/** Where the example was in use, what it signed and sealed has to be signed and sealed anew. */
const formerSecret = longSecret.refine((text) => isOwn(text) || text === PRINTED_SECRET, NOT_OWN)

const isNetwork = (text: string) => {
  const [address = '', bits, ...rest] = text.split('/')
  const version = net.isIP(address)
  if (version === 0 || rest.length > 0) return false
  // Of an IPv4 network in IPv6 notation the first 96 bits only say that it is one.
  const fixed = version === 6 && net.isIPv4(plainAddress(address)) ? 96 : 0
  return (
    bits === undefined ||
    (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) > fixed && Number(bits) <= (version === 4 ? 32 : 128))
  )
}
const proxies = list.refine(
  (items) => items.every((item) => ['loopback', 'linklocal', 'uniquelocal'].includes(item) || isNetwork(item)),
  'is not a list of addresses, networks (CIDR) or "loopback"',
)
/** As Node's resolver takes them: an address, with a port behind a colon; one of IPv6 then stands in brackets. */
const isNameServer = (text: string) => {
  const [, bracketed, plain, port] =
    /^(?:\[([^\]%]+)\]|([^[\]]+?))(?::(\d{1,5}))?$/.exec(net.isIPv6(text) ? `[${text}]` : text) ?? []
  const isAddress = bracketed === undefined ? net.isIPv4(plain ?? '') : net.isIPv6(bracketed)
  return isAddress && (port === undefined || (Number(port) > 0 && Number(port) <= 65_535))
}
const nameServers = list.refine(
  (items) => items.every(isNameServer),
  'is not a list of IP addresses of name servers, such as 192.0.2.53 or [2001:db8::53]:5353',
)
const origins = list.refine(
  (items) => items.every((item) => URL.parse(item)?.origin === item),
  'is not a list of origins such as https://app.example.com',
)
/** Browsers bind passkeys to domains, never to addresses. */
const domain = z
  .string()
  .regex(
    /^(?=.{1,253}$)(localhost|([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?)$/,
    'is not a domain such as example.com',
  )
const ANDROID_APP = /^android:apk-key-hash:[\w-]{43}$/
/** Browsers offer passkeys over HTTPS, and to pages of this machine. */
const isPasskeyOrigin = (text: string) => {
  const { protocol, hostname } = URL.parse(text) ?? {}
  return protocol === 'https:' || (protocol === 'http:' && /(^|\.)localhost$/.test(hostname ?? ''))
}
const passkeyOrigins = list.refine(
  (items) =>
    items.every((item) => ANDROID_APP.test(item) || (URL.parse(item)?.origin === item && isPasskeyOrigin(item))),
  'is not a list of https:// origins such as https://app.example.com',
)
const sender = z
  .string()
  .regex(
    /^(?:[^<>\r\n"]{1,100} <[^\s<>@,]+@[^\s<>@,]+>|[^\s<>@,]+@[^\s<>@,]+)$/,
    'is not an email address or "Name <address>"',
  )

/** Stands in pages, subjects and senders, so it is one plain line. */
const productName = z
  .string()
  .trim()
  .refine(
    (text) => /^[^\p{C}\p{Zl}\p{Zp}<>"\\]{1,50}$/u.test(text) && /[\p{L}\p{N}]/u.test(text),
    'is not a name of 1 to 50 characters without < > " \\',
  )
const color = z.string().trim().refine(isColor, 'is not a color such as #1f7a5c').transform(toColor)

/** OpenTelemetry's own names. */
const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const

/** Every setting, with its default. docs/configuration.md explains each; a test compares the two. */
export const settings = z.object({
  HOST: host.default('127.0.0.1'),
  PORT: wholeNumber(0, 65_535).default(3000),
  WORKERS: wholeNumber(1, 64).default(1),
  DATABASE_URL: databaseUrl.optional(),
  MIGRATE_DATABASE_URL: databaseUrl.optional(),
  DATA_DIR: z.string().default('./data'),
  REDIS_URL: url('redis:', 'rediss:').refine(hasHost, 'names no host').optional(),
  APP_SECRET: secret.optional(),
  APP_SECRET_PREVIOUS: formerSecret.optional(),
  APP_URL: url('http:', 'https:').refine(isBase, 'has a user, a query or a fragment').optional(),
  ACCESS_TOKEN_AUDIENCE: z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, 'is not a text of 1 to 200 printable ASCII characters without spaces')
    .default('tenantry'),
  APP_NAME: productName.default(DEFAULT_NAME),
  APP_ACCENT_COLOR: color.default(DEFAULT_ACCENT_COLOR),
  APP_LOGO: z
    .string()
    .refine((text) => !/^[a-z][a-z0-9+.-]+:/i.test(text), 'is an address: name a PNG or SVG file')
    .optional(),
  SMTP_URL: url('smtp:', 'smtps:').refine(hasHost, 'names no host').optional(),
  MAIL_FROM: sender.optional(),
  CONSOLE_ENABLED: flag.default(true),
  SWAGGER_ENABLED: flag.optional(),
  SWAGGER_USER: z
    .string()
    .regex(/^[^:]+$/, 'has a colon')
    .optional(),
  SWAGGER_PASSWORD: z.string().optional(),
  RATE_LIMIT_ENABLED: flag.default(true),
  RATE_LIMIT_PER_MINUTE: wholeNumber(1, 1_000_000).default(30),
  RATE_LIMIT_SIGNED_IN_PER_MINUTE: wholeNumber(1, 1_000_000).optional(),
  EMAILS_PER_HOUR: wholeNumber(0, 1_000_000).default(200),
  REQUIRE_VERIFIED_EMAIL: flag.default(false),
  SIGN_UP: z.enum(['open', 'invited', 'closed'], 'is not open, invited or closed').default('open'),
  TEMPORARY_PASSWORD_HOURS: wholeNumber(1, 8_760).default(72),
  PASSWORD_BLOCKLIST: flag.default(false),
  TRUST_PROXY: proxies.default([]),
  CORS_ORIGINS: origins.default([]),
  PASSKEY_RP_ID: domain.optional(),
  PASSKEY_ORIGINS: passkeyOrigins.default([]),
  DNS_SERVERS: nameServers.default([]),
  OTEL_EXPORTER_OTLP_ENDPOINT: url('http:', 'https:').refine(hasHost, 'names no host').optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url('http:', 'https:').refine(hasHost, 'names no host').optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .enum(['http/protobuf', 'http/json'], 'is not http/protobuf or http/json')
    .default('http/protobuf'),
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none'], 'is not otlp or none').optional(),
  OTEL_TRACES_SAMPLER: z.enum(SAMPLERS, `is not ${SAMPLERS.join(', ')}`).default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d{1,9})?|1(\.0+)?)$/, 'is not a number from 0 to 1')
    .optional(),
  OTEL_SERVICE_NAME: z.string().default('tenantry'),
  OTEL_SDK_DISABLED: flag.default(false),
  METRICS_PORT: wholeNumber(0, 65_535).optional(),
  METRICS_HOST: host.default('127.0.0.1'),
  SHUTDOWN_DRAIN_SECONDS: wholeNumber(0, 300).optional(),
  LOG_LEVEL: z
    .enum(
      ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
      'is not fatal, error, warn, info, debug, trace or silent',
    )
    .default('info'),
  NODE_ENV: z
    .enum(['development', 'production', 'test'], 'is not development, production or test')
    .default('development'),
})
export type Settings = z.output<typeof settings>
