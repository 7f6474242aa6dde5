import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import { createBrand } from '../brand/brand.ts'
import { type Config, readConfig } from './config.ts'
import { ConfigError } from './config-error.ts'
import { PRINTED_SECRET, settings } from './settings.ts'

type Environment = Record<string, string | undefined>

const SECRET = 'uq3Zx9Lr0mVb7TfKd2WsYc5NhPjE8gAo'
const APP_URL = 'https://app.example.com'
const PRODUCTION = {
  NODE_ENV: 'production',
  APP_SECRET: SECRET,
  APP_URL,
  DATABASE_URL: 'postgres://tenantry@db.internal/tenantry',
  MAIL_FROM: 'Acme <no-reply@acme.example>',
  SMTP_URL: 'smtp://mail.example.com',
}

const root = path.join(import.meta.dirname, '..', '..')
const folder = mkdtempSync(path.join(tmpdir(), 'tenantry-config-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const read = (environment: Environment): Config => readConfig({ APP_SECRET: SECRET, ...environment })

/** The lines of the error for a wrong environment. */
function errorsOf(environment: Environment): string[] {
  try {
    readConfig({ APP_SECRET: SECRET, ...environment })
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.message.split('\n')
  }
  return []
}

describe('without settings', () => {
  it('every setting has its documented default', () => {
    assert.deepEqual(read({}), {
      production: false,
      host: '127.0.0.1',
      port: 3000,
      workers: 1,
      databaseUrl: undefined,
      migrateDatabaseUrl: undefined,
      dataDir: path.resolve('data'),
      redisUrl: undefined,
      appSecret: SECRET,
      appSecretPrevious: undefined,
      appUrl: undefined,
      accessTokens: { iss: 'http://localhost:3000', aud: 'tenantry' },
      brand: createBrand({ name: 'Tenantry', accentColor: '#1f7a5c', logo: undefined }),
      smtpUrl: undefined,
      mailFrom: 'Tenantry <no-reply@localhost>',
      console: true,
      documentation: { user: 'docs', password: undefined },
      rateLimit: { enabled: true, perMinute: 30, signedInPerMinute: undefined },
      emailLimits: {
        perRecipient: 5,
        perMailbox: 20,
        perSender: 200,
        noticesPerRecipient: 10,
        linksFromKnownNetworks: 20,
        linksFromUnknownNetworks: 20,
      },
      requireVerifiedEmail: false,
      signUp: 'open',
      temporaryPasswordHours: 72,
      passwordBlocklist: false,
      passkeys: { rpId: 'localhost', origins: 'loopback' },
      trustProxy: [],
      corsOrigins: 'loopback',
      dnsServers: [],
      shutdownDrainMs: 0,
      logLevel: 'info',
      metrics: undefined,
      tracing: undefined,
    })
  })

  it('empty and blank variables count as unset', () => {
    for (const blank of ['', ' ', '\t']) {
      const environment = Object.fromEntries(Object.keys(settings.shape).map((name) => [name, blank]))
      assert.deepEqual(read({ ...environment, APP_SECRET: SECRET }), read({}))
    }
  })

  it('.env.example names every setting with its default', () => {
    const example = readFileSync(path.join(root, '.env.example'), 'utf8')
    const pairs = [...example.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value])
    assert.deepEqual(pairs.map(([name]) => name).sort(), Object.keys(settings.shape).sort())
    assert.deepEqual(read({ ...Object.fromEntries(pairs), APP_SECRET: SECRET }), read({}))
  })
})

describe('docs/configuration.md', () => {
  const page = readFileSync(path.join(root, 'docs/configuration.md'), 'utf8')
  const sections = page
    .split(/^### /m)
    .slice(1)
    .map((text) => ({
      name: text.slice(0, text.indexOf('\n')),
      type: /^- Type: (.+)$/m.exec(text)?.[1],
      default: /^- Default: (.+)$/m.exec(text)?.[1],
      example: /^- Example: `(.+)`$/m.exec(text)?.[1],
    }))

  it('has one section for each setting, and for nothing else', () => {
    assert.deepEqual(sections.map(({ name }) => name).sort(), Object.keys(settings.shape).sort())
    for (const { name, type } of sections) assert.ok(type, name)
  })

  it('names the default that an unset variable has', () => {
    for (const { name, default: text = '' } of sections) {
      const [, value] = /^`(.+)`$/.exec(text) ?? []
      assert.ok(value || text.startsWith('unset: '), `${name}: ${text}`)
      if (value) assert.deepEqual(read({ [name]: value }), read({}), name)
    }
  })

  it('gives examples that are accepted, but for secrets, which every reader knows', () => {
    for (const { name, example = '' } of sections) {
      const [, key = '', value] = /^([A-Z_]+)=(.+)$/.exec(example) ?? []
      assert.equal(key, name)
      if (name.startsWith('APP_SECRET')) continue
      // The one setting whose value has to exist on this machine.
      const expected =
        name === 'APP_LOGO' ? [`APP_LOGO can't be used: ENOENT: no such file or directory, stat '${value}'`] : []
      // What others have to go with.
      const others = { NODE_ENV: PRODUCTION, PASSKEY_RP_ID: { APP_URL }, PASSKEY_ORIGINS: { APP_URL } }
      const environment = { ...others[name as keyof typeof others], [name]: value }
      assert.deepEqual(errorsOf(environment), expected, example)
    }
  })
})

describe('a secret', () => {
  it('is none that the documents print; the one that was in use before can be replaced', () => {
    const examples = ['docs/configuration.md', 'docs/operations.md'].flatMap((file) => [
      ...readFileSync(path.join(root, file), 'utf8').matchAll(/\b(APP_SECRET(?:_PREVIOUS)?)=([^`\n]+)/g),
    ])
    assert.deepEqual([...new Set(examples.map(([, name]) => name))], ['APP_SECRET', 'APP_SECRET_PREVIOUS'])
    for (const NODE_ENV of ['production', 'development'])
      for (const [, , value] of examples)
        for (const name of ['APP_SECRET', 'APP_SECRET_PREVIOUS']) {
          const isFormer = value === PRINTED_SECRET && name === 'APP_SECRET_PREVIOUS'
          const errors = isFormer ? [] : [`${name} is an example text or has fewer than 8 different characters`]
          assert.deepEqual(errorsOf({ ...PRODUCTION, NODE_ENV, [name]: value }), errors)
        }
  })

  it('replaces another one', () => {
    for (const previous of [SECRET, ` ${SECRET}\n`])
      assert.deepEqual(errorsOf({ ...PRODUCTION, APP_SECRET_PREVIOUS: previous }), [
        'APP_SECRET_PREVIOUS is the same as APP_SECRET',
      ])
  })

  it('is the same with white space around it, as from a file, and what 0.2.0 signed with that stays valid', () => {
    const [written, other] = [` ${SECRET}\n`, SECRET.toLowerCase()]
    const secretsOf = ({ appSecret, appSecretPrevious }: Config) => [appSecret, appSecretPrevious]
    assert.deepEqual(secretsOf(read({ APP_SECRET: written })), [SECRET, written])
    assert.deepEqual(secretsOf(read({ APP_SECRET: written, APP_SECRET_PREVIOUS: `${other}\n` })), [SECRET, other])
    assert.deepEqual(errorsOf({ APP_SECRET: ` ${'x'.repeat(31)}` }), ['APP_SECRET is shorter than 32 characters'])
  })
})

it('reads every setting', () => {
  const config = read({
    HOST: '::',
    PORT: '8080',
    WORKERS: '4',
    DATABASE_URL: 'postgres://u:p@one,two:5433/tenantry?target_session_attrs=read-write',
    MIGRATE_DATABASE_URL: 'postgres://u:p@db/tenantry',
    DATA_DIR: '/var/lib/tenantry',
    REDIS_URL: 'rediss://:p@cache:6380/1',
    APP_SECRET_PREVIOUS: SECRET.toUpperCase(),
    APP_URL: 'https://app.example.com/portal//',
    ACCESS_TOKEN_AUDIENCE: 'https://api.example.com',
    APP_NAME: ' Acme ',
    APP_ACCENT_COLOR: '#A0F',
    SMTP_URL: 'smtps://u:p%40@mail.example.com:465',
    MAIL_FROM: 'Acme <mail@acme.example>',
    CONSOLE_ENABLED: 'false',
    SWAGGER_ENABLED: 'true',
    SWAGGER_USER: 'reader',
    SWAGGER_PASSWORD: 'a:b',
    RATE_LIMIT_ENABLED: 'false',
    RATE_LIMIT_PER_MINUTE: '600',
    RATE_LIMIT_SIGNED_IN_PER_MINUTE: '1200',
    EMAILS_PER_HOUR: '0',
    REQUIRE_VERIFIED_EMAIL: 'true',
    SIGN_UP: 'invited',
    TEMPORARY_PASSWORD_HOURS: '1',
    PASSWORD_BLOCKLIST: 'true',
    PASSKEY_RP_ID: 'example.com',
    PASSKEY_ORIGINS: `https://www.example.com, android:apk-key-hash:${'x'.repeat(43)}`,
    TRUST_PROXY: 'loopback, 10.0.0.0/8,2001:db8::/32 , 192.0.2.1, ::ffff:192.0.2.0/120',
    CORS_ORIGINS: 'https://a.example.com, http://localhost:5173,',
    DNS_SERVERS: '192.0.2.53, 127.0.0.1:5353, 2001:db8::53,[2001:db8::53]:5353,[::1]',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    METRICS_PORT: '9464',
    METRICS_HOST: '::',
    SHUTDOWN_DRAIN_SECONDS: '20',
    LOG_LEVEL: 'debug',
    NODE_ENV: 'test',
  })
  assert.deepEqual(config, {
    production: false,
    host: '::',
    port: 8080,
    workers: 4,
    databaseUrl: 'postgres://u:p@one,two:5433/tenantry?target_session_attrs=read-write',
    migrateDatabaseUrl: 'postgres://u:p@db/tenantry',
    dataDir: '/var/lib/tenantry',
    redisUrl: 'rediss://:p@cache:6380/1',
    appSecret: SECRET,
    appSecretPrevious: SECRET.toUpperCase(),
    appUrl: 'https://app.example.com/portal',
    accessTokens: { iss: 'https://app.example.com/portal', aud: 'https://api.example.com' },
    brand: createBrand({ name: 'Acme', accentColor: '#aa00ff', logo: undefined }),
    smtpUrl: 'smtps://u:p%40@mail.example.com:465',
    mailFrom: 'Acme <mail@acme.example>',
    console: false,
    documentation: { user: 'reader', password: 'a:b' },
    rateLimit: { enabled: false, perMinute: 600, signedInPerMinute: 1200 },
    emailLimits: {
      perRecipient: null,
      perMailbox: null,
      perSender: null,
      noticesPerRecipient: null,
      linksFromKnownNetworks: null,
      linksFromUnknownNetworks: null,
    },
    requireVerifiedEmail: true,
    signUp: 'invited',
    temporaryPasswordHours: 1,
    passwordBlocklist: true,
    passkeys: {
      rpId: 'example.com',
      origins: ['https://app.example.com', 'https://www.example.com', `android:apk-key-hash:${'x'.repeat(43)}`],
    },
    trustProxy: ['loopback', '10.0.0.0/8', '2001:db8::/32', '192.0.2.1', '::ffff:192.0.2.0/120'],
    corsOrigins: ['https://a.example.com', 'http://localhost:5173'],
    dnsServers: ['192.0.2.53', '127.0.0.1:5353', '2001:db8::53', '[2001:db8::53]:5353', '[::1]'],
    shutdownDrainMs: 20_000,
    logLevel: 'debug',
    metrics: { host: '::', port: 9464 },
    tracing: { protocol: 'http/json' },
  })
})

const wrongValues: Record<keyof typeof settings.shape, string[]> = {
  OTEL_EXPORTER_OTLP_ENDPOINT: ['collector:4317', 'grpc://collector:4317', 'http://'],
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: ['collector:4318/v1/traces'],
  OTEL_EXPORTER_OTLP_PROTOCOL: ['grpc', 'json'],
  OTEL_TRACES_EXPORTER: ['zipkin', 'console'],
  OTEL_TRACES_SAMPLER: ['sometimes', 'jaeger_remote'],
  OTEL_TRACES_SAMPLER_ARG: ['2', '-1', '10%', '.5'],
  OTEL_SERVICE_NAME: [],
  OTEL_SDK_DISABLED: ['yes'],
  CONSOLE_ENABLED: ['yes', '1'],
  SIGN_UP: ['true', 'off', 'Open'],
  METRICS_PORT: ['x', '-1', '65536'],
  METRICS_HOST: ['localhost:3000', '[::]'],
  HOST: ['localhost:3000', 'http://localhost', 'a b', '-x', '[::]', '1.2.3.4/8'],
  WORKERS: ['0', '65', '1.5', 'auto', '-1'],
  PORT: ['x', '-1', '65536', '3000.5', '0x50', '1e3', ' 80', '٣'],
  DATABASE_URL: [
    'mysql://x',
    'localhost/db',
    'postgres:db',
    'postgres://a b/c',
    'postgres://one:x,two/c',
    'postgres://one,/c?target_session_attrs=standby',
  ],
  MIGRATE_DATABASE_URL: ['mysql://x', 'localhost/db'],
  DATA_DIR: [],
  REDIS_URL: ['http://x', 'localhost:6379', 'redis:', 'redis://'],
  APP_SECRET: [
    'hunter2',
    'x'.repeat(31),
    'x'.repeat(32),
    'change-me-change-me-change-me-change-me',
    '0123456789abcdef0123456789abcdef',
  ],
  APP_SECRET_PREVIOUS: [
    'hunter22',
    'this-is-an-example-of-a-long-secret-value',
    'your_secret_goes_here_please_12345678',
  ],
  APP_URL: [
    'app.example.com',
    'ftp://x',
    'https://',
    'https://x/?a=1',
    'https://x/#a',
    'https://u:p@x',
    'https://x y',
    '//x',
  ],
  ACCESS_TOKEN_AUDIENCE: ['a b', 'x'.repeat(201), 'é', 'a\tb'],
  APP_NAME: ['x'.repeat(51), 'Acme <x@example.com>', 'A"b', 'A\nb', 'A\u202eb', '---'],
  APP_ACCENT_COLOR: ['green', '#12345', '#12345g', 'rgb(0,0,0)', '#12345678', '#fff;}'],
  APP_LOGO: ['https://example.com/logo.svg', 'data:image/svg+xml,x', 'file:///logo.png'],
  SMTP_URL: ['mail.example.com:25', 'http://x', 'smtp:mail', 'smtp://', 'smtp://a b'],
  MAIL_FROM: ['no-address', 'a@b, c@d', 'Name <a>', 'A\nBcc: x@y.z <a@b.c>', '<a@b>', '"A" <a@b.c>'],
  SWAGGER_ENABLED: ['yes', '1', 'TRUE', 'on'],
  SWAGGER_USER: ['a:b'],
  SWAGGER_PASSWORD: [],
  RATE_LIMIT_ENABLED: ['no', '0', 'False'],
  RATE_LIMIT_SIGNED_IN_PER_MINUTE: ['0', '-1', '1.5', '1000001', 'x'],
  RATE_LIMIT_PER_MINUTE: ['0', '-5', '1000001', '30/min'],
  EMAILS_PER_HOUR: ['-1', '1000001', 'many'],
  REQUIRE_VERIFIED_EMAIL: ['yes'],
  TEMPORARY_PASSWORD_HOURS: ['0', '8761', '1.5'],
  PASSWORD_BLOCKLIST: ['x'],
  PASSKEY_RP_ID: [
    'https://example.com',
    'Example.com',
    'example.com:443',
    '192.0.2.1',
    'com',
    '.example.com',
    'example.com.',
    '*.example.com',
    'a_b.example.com',
    // Not the host of APP_URL, which is localhost here.
    'example.com',
  ],
  PASSKEY_ORIGINS: [
    'app.example.com',
    'http://app.example.com',
    'https://app.example.com/',
    'https://*.example.com',
    'null',
    'android:apk-key-hash:x',
    // Not below the host of APP_URL.
    'https://example.com',
    'http://evil-localhost',
  ],
  TRUST_PROXY: [
    'true',
    '1',
    '*',
    '10.0.0.0/33',
    '10.0.0.0/0',
    '::/129',
    '::ffff:10.0.0.0/8',
    '::ffff:0:0/96',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.256',
    'proxy',
  ],
  CORS_ORIGINS: [
    '*',
    'app.example.com',
    'https://a.example.com/',
    'https://a.example.com/x',
    'null',
    'https://A.example.com',
  ],
  DNS_SERVERS: [
    'dns.example.com',
    '192.0.2.256',
    '192.0.2.53:0',
    '192.0.2.53:65536',
    '192.0.2.53:',
    '192.0.2.53/24',
    '[192.0.2.53]:53',
    '[2001:db8::53',
    '2001:db8::zz',
    '[fe80::1%eth0]:53',
    '192.0.2.53 192.0.2.54',
  ],
  SHUTDOWN_DRAIN_SECONDS: ['-1', '301', '5s', '0.5'],
  LOG_LEVEL: ['verbose', 'INFO'],
  NODE_ENV: ['prod', 'Production', 'staging'],
}

describe('a wrong value', () => {
  for (const [name, values] of Object.entries(wrongValues)) {
    for (const value of values) {
      it(`gives one line with the name of the setting and without the value: ${name}=${JSON.stringify(value)}`, () => {
        const lines = errorsOf({ [name]: value })
        assert.equal(lines.length, 1, lines.join(' | '))
        assert.match(lines[0] as string, new RegExp(`^${name} (is|has|names) `))
        if (name.includes('SECRET')) assert.equal(lines[0]?.includes(value), false)
      })
    }
  }

  it('is reported together with all others, one line each', () => {
    const environment = Object.fromEntries(
      Object.entries(wrongValues)
        .filter(([, values]) => values.length > 0)
        .map(([name, [value]]) => [name, value]),
    )
    const names = errorsOf(environment).map((line) => line.split(' ')[0])
    assert.deepEqual(names.sort(), Object.keys(environment).sort())
  })

  it('does not hide that another setting is missing', () => {
    const lines = errorsOf({ NODE_ENV: 'production', APP_SECRET: '', PORT: 'x', SWAGGER_ENABLED: 'true' })
    assert.deepEqual(lines.map((line) => line.split(' ')[0]).sort(), [
      'APP_SECRET',
      'APP_URL',
      'DATABASE_URL',
      'MAIL_FROM',
      'PORT',
      'SMTP_URL',
      'SWAGGER_ENABLED',
    ])
  })

  it('ends the process with these lines and no other output', async () => {
    const { code, output, errors } = await start('src/main.ts', {
      ...PRODUCTION,
      SMTP_URL: '',
      PORT: 'x',
      APP_SECRET: 'hunter2',
      SWAGGER_ENABLED: 'maybe',
    })
    assert.equal(code, 1)
    assert.equal(output, '')
    assert.deepEqual(errors.trim().split('\n').sort(), [
      'APP_SECRET is shorter than 32 characters',
      'PORT is not a whole number',
      'SMTP_URL is missing: production sends emails by SMTP',
      'SWAGGER_ENABLED is neither "true" nor "false"',
    ])
  })
})

describe('production', () => {
  it('requires what has no safe default, and disables the documentation', () => {
    const config = readConfig(PRODUCTION)
    assert.deepEqual([config.production, config.documentation, config.shutdownDrainMs], [true, undefined, 5000])
    for (const name of ['APP_SECRET', 'APP_URL', 'DATABASE_URL', 'MAIL_FROM', 'SMTP_URL']) {
      const lines = errorsOf({ ...PRODUCTION, [name]: ' ' })
      assert.equal(lines.length, 1, lines.join(' | '))
      assert.match(lines[0] ?? '', new RegExp(`^${name} is missing: `))
    }
  })

  it('refuses SWAGGER_ENABLED=true, even with credentials', () => {
    const reader = { SWAGGER_USER: 'docs', SWAGGER_PASSWORD: 'long-password' }
    const lines = errorsOf({ ...PRODUCTION, ...reader, SWAGGER_ENABLED: 'true' })
    assert.deepEqual(lines, ['SWAGGER_ENABLED is true: production serves no documentation'])
    assert.equal(readConfig({ ...PRODUCTION, ...reader, SWAGGER_ENABLED: 'false' }).documentation, undefined)
    assert.equal(readConfig({ ...PRODUCTION, ...reader }).documentation, undefined)
  })

  it('writes no secret to disk', () => {
    const dataDir = path.join(folder, 'production')
    assert.deepEqual(errorsOf({ ...PRODUCTION, APP_SECRET: '', DATA_DIR: dataDir }).length, 1)
    readConfig({ ...PRODUCTION, DATA_DIR: dataDir })
    assert.equal(existsSync(dataDir), false)
  })
})

it('refuses SWAGGER_ENABLED=true without both credentials', () => {
  for (const NODE_ENV of ['development', 'test']) {
    for (const part of [
      {},
      { SWAGGER_USER: 'docs' },
      { SWAGGER_PASSWORD: 'x' },
      { SWAGGER_USER: 'docs', SWAGGER_PASSWORD: ' ' },
    ]) {
      assert.deepEqual(errorsOf({ NODE_ENV, SWAGGER_ENABLED: 'true', ...part }), [
        'SWAGGER_ENABLED is true without both SWAGGER_USER and SWAGGER_PASSWORD',
      ])
    }
  }
  assert.deepEqual(read({ SWAGGER_USER: 'me' }).documentation, { user: 'me', password: undefined })
  assert.equal(read({ SWAGGER_ENABLED: 'false' }).documentation, undefined)
})

describe('passkeys', () => {
  const passkeys = (environment: Environment) => read(environment).passkeys

  it('belong to the host of APP_URL and to its pages', () => {
    assert.deepEqual(passkeys({ APP_URL: 'https://app.example.com:8443/portal/' }), {
      rpId: 'app.example.com',
      origins: ['https://app.example.com:8443'],
    })
  })

  it('can belong to a domain above it, and to more of its pages', () => {
    const origins = ['https://example.com', 'https://admin.example.com']
    const more = { PASSKEY_RP_ID: 'example.com', PASSKEY_ORIGINS: origins.join(',') }
    assert.deepEqual(passkeys({ APP_URL, ...more }), { rpId: 'example.com', origins: [APP_URL, ...origins] })
  })

  it('work on this machine on every port, unless the ports are named', () => {
    assert.deepEqual(passkeys({ HOST: '0.0.0.0' }), { rpId: 'localhost', origins: 'loopback' })
    assert.deepEqual(passkeys({ APP_URL: 'http://localhost:3000' }).origins, ['http://localhost:3000'])
    assert.deepEqual(passkeys({ PASSKEY_ORIGINS: 'http://localhost:5173' }).origins, [
      'http://localhost:3000',
      'http://localhost:5173',
    ])
  })

  it('of a domain that their pages do not belong to stop the start', () => {
    const wrongId = 'PASSKEY_RP_ID is neither the host of APP_URL nor a domain above it'
    for (const PASSKEY_RP_ID of ['other.example.com', 'ample.com', 'www.app.example.com'])
      assert.deepEqual(errorsOf({ APP_URL, PASSKEY_RP_ID }), [wrongId])
    assert.deepEqual(errorsOf({ APP_URL, PASSKEY_ORIGINS: 'https://notapp.example.com' }), [
      'PASSKEY_ORIGINS names an origin outside of the domain of passkeys, which is the host of APP_URL',
    ])
    assert.deepEqual(errorsOf({ APP_URL, PASSKEY_RP_ID: 'example.com', PASSKEY_ORIGINS: 'https://example.org' }), [
      'PASSKEY_ORIGINS names an origin outside of the domain of passkeys, which is PASSKEY_RP_ID',
    ])
  })
})

it('uses the host name of APP_URL in the default sender address', () => {
  assert.equal(read({ APP_URL: 'https://app.example.com:8443/x' }).mailFrom, 'Tenantry <no-reply@app.example.com>')
  for (const APP_URL of ['http://192.0.2.1', 'http://[::1]:3000']) {
    assert.equal(read({ APP_URL }).mailFrom, 'Tenantry <no-reply@localhost>')
  }
})

it('signs emails with APP_NAME unless MAIL_FROM says otherwise', () => {
  const APP_URL = 'https://app.example.com'
  assert.equal(read({ APP_NAME: 'Acme, Inc.', APP_URL }).mailFrom, 'Acme, Inc. <no-reply@app.example.com>')
  assert.equal(read({ APP_NAME: 'Acme', MAIL_FROM: 'Us <us@example.com>' }).mailFrom, 'Us <us@example.com>')
})

describe('the generated secret', () => {
  it('is stored in DATA_DIR, readable for the service alone, and is the same at every start', () => {
    const dataDir = path.join(folder, 'data', 'deeper')
    const first = read({ APP_SECRET: '', DATA_DIR: dataDir }).appSecret
    assert.match(first, /^[\w-]{43}$/)
    assert.equal(read({ APP_SECRET: undefined, DATA_DIR: dataDir }).appSecret, first)
    assert.deepEqual(readdirSync(dataDir), ['app-secret'])
    assert.equal(statSync(path.join(dataDir, 'app-secret')).mode & 0o777, 0o600)
    assert.notEqual(read({ APP_SECRET: '', DATA_DIR: path.join(folder, 'other') }).appSecret, first)
  })

  it('is the same for processes that start at the same time', async () => {
    const dataDir = path.join(folder, 'race')
    const program = `import { readConfig } from './src/config/config.ts'; console.log(readConfig(process.env).appSecret)`
    const starts = await Promise.all(
      Array.from({ length: 6 }, () => start(['--input-type=module', '-e', program], { DATA_DIR: dataDir })),
    )
    const stored = readFileSync(path.join(dataDir, 'app-secret'), 'utf8')
    for (const { output, errors } of starts) assert.deepEqual([output.trim(), errors], [stored, ''])
    assert.deepEqual(readdirSync(dataDir), ['app-secret'])
  })

  it('is refused when its file is empty or too short, and when it can’t be stored', () => {
    const dataDir = path.join(folder, 'broken')
    read({ APP_SECRET: '', DATA_DIR: dataDir })
    const file = path.join(dataDir, 'app-secret')
    const stored = readFileSync(file, 'utf8')
    for (const content of ['', 'short', stored.slice(0, 31)]) {
      writeFileSync(file, content)
      const lines = errorsOf({ APP_SECRET: '', DATA_DIR: dataDir })
      assert.deepEqual(lines, [
        `The secret that replaces APP_SECRET can't be stored in DATA_DIR: ${file} is shorter than 32 characters`,
      ])
    }
    writeFileSync(file, `${stored}\n`)
    assert.equal(read({ APP_SECRET: '', DATA_DIR: dataDir }).appSecret, stored)

    for (const wrong of [path.join(file, 'below-a-file'), '/dev/null/nowhere']) {
      const lines = errorsOf({ APP_SECRET: '', DATA_DIR: wrong })
      assert.equal(lines.length, 1)
      assert.match(lines[0] as string, /^The secret that replaces APP_SECRET can't be stored in DATA_DIR: E[A-Z]+: /)
    }
  })
})

async function start(program: string | string[], environment: Environment) {
  const child = spawn(process.execPath, [program].flat(), {
    cwd: root,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [output, errors, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('close', resolve)),
  ])
  return { code, output, errors }
}
