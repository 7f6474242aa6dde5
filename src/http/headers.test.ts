import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startTestApp, type TestApp, useTestApp } from '../../test/support/app.ts'
import type { Answer } from '../../test/support/client.ts'
import { exchange, rawRequest } from '../../test/support/http.ts'
import { signUp } from '../../test/support/people.ts'
import { UUID_PATTERN } from '../lib/ids.ts'

const APP = 'https://app.example.com'
const OTHER_APP = 'http://localhost:5173'

const service = await useTestApp({ CORS_ORIGINS: `${APP}, ${OTHER_APP}` }, { servesDocumentation: true })
const ann = await signUp(service.client)

/** One request for each kind of answer below /api. */
const everyKind: [string, number, () => Promise<Answer>][] = [
  ['a resource', 200, () => ann.api.get('/auth/me')],
  ['a list', 200, () => ann.api.get('/companies')],
  ['a failed validation', 400, () => service.client.post('/auth/login', {})],
  ['a torn body', 400, () => service.client.post('/auth/login', undefined, { raw: '{' })],
  ['a missing token', 401, () => service.client.get('/auth/me')],
  ['a wrong password', 401, () => service.client.post('/auth/login', { email: ann.email, password: 'x' })],
  ['an unknown address', 404, () => service.client.get('/nothing')],
  ['an undecodable address', 400, () => service.client.get('/%zz')],
  ['a body too large', 413, () => service.client.post('/auth/login', undefined, { raw: ' '.repeat(102_401) })],
  ['a health check', 200, () => service.client.get('/health')],
]

describe('every answer', () => {
  for (const [name, status, send] of everyKind) {
    it(`is JSON in UTF-8 with headers against caching, sniffing, framing and execution: ${name}`, async () => {
      const answer = await send()
      assert.equal(answer.status, status)
      const { headers } = answer
      assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      assert.equal(headers.get('x-frame-options'), 'DENY')
      assert.equal(headers.get('referrer-policy'), 'no-referrer')
      assert.equal(headers.get('strict-transport-security'), 'max-age=31536000; includeSubDomains')
      assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin')
      assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin')
      assert.match(headers.get('permissions-policy') ?? '', /camera=\(\)/)
      assert.equal(
        headers.get('content-security-policy'),
        "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
      )
      assert.match(headers.get('x-request-id') ?? '', UUID_PATTERN)
    })

    it(`names no server software and sets no cookie: ${name}`, async () => {
      const { headers } = await send()
      for (const header of ['x-powered-by', 'server', 'via', 'set-cookie', 'etag'])
        assert.equal(headers.get(header), null)
      assert.doesNotMatch(JSON.stringify([...headers]), /fastify|node|pino/i)
    })
  }

  it('sends WWW-Authenticate only when a token is missing or invalid', async () => {
    for (const [name, status, send] of everyKind) {
      const { headers } = await send()
      assert.equal(headers.get('www-authenticate'), status === 401 ? 'Bearer' : null, name)
    }
  })
})

describe('every page and file', () => {
  const addresses = [
    '/',
    '/verify-email',
    '/reset-password?token=x',
    '/pages/page.js',
    '/pages/pages.css',
    '/.well-known/jwks.json',
    '/api/docs',
    '/nothing',
  ]
  for (const address of addresses) {
    it(`has the same headers and a policy without foreign sources: ${address}`, async () => {
      const authorization = `Basic ${Buffer.from('docs:docs-password').toString('base64')}`
      const { headers } = await fetch(service.address + address, { headers: { authorization } })
      assert.equal(headers.get('strict-transport-security'), 'max-age=31536000; includeSubDomains')
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      assert.equal(headers.get('referrer-policy'), 'no-referrer')
      assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin')
      assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin')
      assert.equal(headers.get('set-cookie'), null)
      const policy = new Map(
        (headers.get('content-security-policy') ?? '').split('; ').map((part) => nameAndRest(part)),
      )
      for (const directive of ['object-src', 'frame-ancestors', 'base-uri'])
        assert.equal(
          policy.get(directive) ?? (directive === 'object-src' && policy.get('default-src')),
          "'none'",
          directive,
        )
      assert.doesNotMatch(policy.get('script-src') ?? policy.get('default-src') ?? '*', /unsafe|http|data:|\*/)
    })
  }

  const nameAndRest = (directive: string) => directive.split(/ (.*)/s, 2) as [string, string]
})

describe('x-request-id', () => {
  for (const id of ['abc', '01a1fae7-08dc-70b1-8740-a47531448352', 'trace:1.2-3_4', 'x'.repeat(64)]) {
    it(`is taken from the request when it is well-formed: ${id}`, async () => {
      const { headers } = await service.client.get('/health', { headers: { 'x-request-id': id } })
      assert.equal(headers.get('x-request-id'), id)
    })
  }

  for (const id of ['', ' ', 'a b', 'a,b', '<script>', 'x'.repeat(65), 'é', 'a"b', 'a\tb', 'a{b}', 'a/b']) {
    it(`is generated when it is malformed: ${JSON.stringify(id)}`, async () => {
      const { headers } = await service.client.get('/health', { headers: { 'x-request-id': id } })
      assert.match(headers.get('x-request-id') ?? '', UUID_PATTERN)
    })
  }

  it('is generated when two were sent', async () => {
    const request = rawRequest('GET /api/health', { 'x-request-id': 'a\r\nX-Request-Id: b' })
    const [answer] = await exchange(service.address, request)
    assert.match(answer?.headers.get('x-request-id') ?? '', UUID_PATTERN)
  })

  it('is also in the log and in the audit log', async () => {
    const headers = { 'x-request-id': 'follow-me.1' }
    await service.client.post('/auth/login', { email: ann.email, password: 'x' }, { headers })
    assert.ok(service.logged.some((line) => JSON.parse(line).reqId === 'follow-me.1'))
    const rows = await service.db.query(`select from audit_records where request_id = 'follow-me.1'`)
    assert.equal(rows.length, 1)
  })
})

describe('other origins', () => {
  const preflight = (origin: string, path = '/auth/login') =>
    service.client.send('OPTIONS', path, undefined, {
      headers: {
        origin,
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'authorization, content-type, x-company-id, x-session, idempotency-key',
      },
    })

  for (const origin of [APP, OTHER_APP]) {
    it(`may call the API, with cookies, when CORS_ORIGINS lists them: ${origin}`, async () => {
      const asked = await preflight(origin)
      assert.equal(asked.status, 204)
      assert.equal(asked.headers.get('access-control-allow-origin'), origin)
      assert.match(asked.headers.get('access-control-allow-methods') ?? '', /\bPATCH\b/)
      assert.match(asked.headers.get('access-control-allow-headers') ?? '', /x-company-id, x-session/)
      assert.equal(asked.headers.get('access-control-allow-credentials'), 'true')
      assert.match(asked.headers.get('vary') ?? '', /\borigin\b/i)

      const answer = await ann.api.get('/auth/me', { headers: { origin } })
      assert.equal(answer.headers.get('access-control-allow-origin'), origin)
      assert.equal(answer.headers.get('access-control-allow-credentials'), 'true')
      assert.match(answer.headers.get('access-control-expose-headers') ?? '', /ratelimit.*retry-after/)
      assert.match(answer.headers.get('vary') ?? '', /\borigin\b/i)
    })
  }

  it('can read refusals', async () => {
    for (const path of ['/auth/me', '/nothing']) {
      const answer = await service.client.get(path, { headers: { origin: APP } })
      assert.equal(answer.headers.get('access-control-allow-origin'), APP)
    }
  })

  const strangers = [
    'https://evil.example.com',
    'https://app.example.com.evil.org',
    'https://app.example.com:444',
    'http://app.example.com',
    'https://APP.example.com',
    'https://sub.app.example.com',
    'null',
    '*',
    'https://app.example.com, http://localhost:5173',
  ]
  for (const origin of strangers) {
    it(`may not call the API when they are not listed: ${origin}`, async () => {
      for (const answer of [await preflight(origin), await ann.api.get('/auth/me', { headers: { origin } })]) {
        assert.equal(answer.headers.get('access-control-allow-origin'), null)
        assert.equal(answer.headers.get('access-control-allow-credentials'), null)
      }
    })
  }

  it('may not call the API without CORS_ORIGINS', async () => {
    const closed = await startTestApp({}, service.db)
    try {
      const { headers } = await closed.client.get('/health', { headers: { origin: APP } })
      assert.equal(headers.get('access-control-allow-origin'), null)
    } finally {
      await closed.close()
    }
  })

  const local = [
    'http://localhost:5173',
    'https://localhost',
    'http://app.localhost:80',
    'http://127.0.0.1:8080',
    'http://[::1]:3000',
  ]
  const foreign = [
    APP,
    'null',
    'http://localhost.evil.example',
    'http://evillocalhost',
    'http://127.0.0.1.evil.example',
    'http://1127.0.0.1',
    'http://192.168.1.7:3000',
    'file://localhost',
    'http://localhost:5173/x',
    'http://localhost:5173, http://evil.example',
  ]
  it('may call the API from this machine in development without CORS_ORIGINS', async () => {
    const [development, production] = [
      await startTestApp({ NODE_ENV: 'development' }, service.db),
      await startTestApp(
        {
          NODE_ENV: 'production',
          APP_URL: 'https://app.example.com',
          DATABASE_URL: 'postgres://localhost/x',
          MAIL_FROM: 'no-reply@example.com',
          SMTP_URL: 'smtp://localhost:1',
        },
        service.db,
      ),
    ]
    try {
      for (const origin of [...local, ...foreign]) {
        const allowed = async (app: TestApp) => {
          const { headers } = await app.client.get('/health', { headers: { origin } })
          const isListed = app === service && [APP, OTHER_APP].includes(origin)
          assert.equal(headers.get('access-control-allow-credentials'), isListed ? 'true' : null)
          return headers.get('access-control-allow-origin')
        }
        assert.equal(await allowed(development), local.includes(origin) ? origin : null, origin)
        assert.equal(await allowed(production), null, origin)
        assert.equal(await allowed(service), [APP, OTHER_APP].includes(origin) ? origin : null, origin)
      }
    } finally {
      await development.close()
      await production.close()
    }
  })

  it('get only headers from OPTIONS', async () => {
    for (const path of ['/auth/me', '/nothing']) {
      const answer = await service.client.send('OPTIONS', path)
      assert.deepEqual([answer.status, answer.body], [204, ''])
    }
  })
})
