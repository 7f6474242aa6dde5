import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'
import { startTestApp, useTestApp } from '../../../test/support/app.ts'
import {
  assertRefusal,
  exchange,
  freshAddress,
  from,
  limitsIn,
  nothing,
  rawRequest,
  repeat,
  servedOf,
  untilLogged,
} from '../../../test/support/http.ts'
import { assertProblem, PASSWORD, type Person, registration, signIn, signUp } from '../../../test/support/people.ts'
import { OpenApiDocument } from '../openapi/document.ts'

const ON = { RATE_LIMIT_ENABLED: 'true' }

const declaring = mock.method(OpenApiDocument.prototype, 'add')
// Tests send requests from many addresses, as through a proxy, each from its own.
const service = await useTestApp({ ...ON, TRUST_PROXY: 'loopback' }, { servesDocumentation: true })
const routes = [...declaring.mock.calls]

describe('the general limit', () => {
  it('serves 30 requests a minute over all endpoints, including unknown paths and refusals', async () => {
    const me = from(freshAddress())
    const ann = await signUp(service.client.with(me))
    const served = [
      ...(await repeat(9, () => service.client.get('/auth/me', { ...me, token: ann.accessToken }))),
      ...(await repeat(10, () => nothing(service, me))),
      ...(await repeat(5, () => service.client.put('/auth/profile', undefined, me))),
      ...(await repeat(5, () => service.client.post('/auth/refresh', undefined, { ...me, raw: '{torn' }))),
    ]
    assert.equal(servedOf(served), 29)
    for (const path of ['/auth/me', '/nothing', '/companies', '/']) {
      assertProblem(await service.client.get(path, { ...me, token: ann.accessToken }), 429, 'rate_limited')
    }
  })

  it('sends the remaining number and the reset time with every answer', async () => {
    const me = from(freshAddress())
    for (let left = 29; left >= -2; left--) {
      const { status, headers } = await nothing(service, me)
      assert.equal(headers.get('ratelimit-policy'), '"general";q=30;w=60')
      const { general } = limitsIn(headers.get('ratelimit'))
      assert.deepEqual(Object.keys(general ?? {}), ['r', 't'])
      assert.equal(general?.r, Math.max(0, left))
      assert.ok((general?.t ?? 0) >= 1 && (general?.t ?? 0) <= 60)
      assert.equal(status, left >= 0 ? 404 : 429)
      assert.equal(headers.get('retry-after'), left >= 0 ? null : String(general?.t))
    }
  })

  it('is checked before anything else', async () => {
    const me = from(freshAddress())
    await repeat(30, () => nothing(service, me))
    const torn = { ...me, raw: '{torn' }
    const answers = [
      await nothing(service, me),
      await service.client.get('/auth/me', me),
      await service.client.post('/auth/login', undefined, torn),
      await service.client.post('/auth/login', undefined, { ...me, raw: ' '.repeat(200_000) }),
      await service.client.post('/auth/login', 'x', { headers: { ...me.headers, 'content-type': 'text/plain' } }),
    ]
    for (const answer of answers) assertProblem(answer, 429, 'rate_limited')
  })

  const undecodable = ['/api/%zz', '/api/auth/login/%', '/%c0%ae', '/api/companies/users/%ff?x=1']
  for (const target of undecodable) {
    it(`counts paths that cannot be decoded: ${target}`, async () => {
      const address = freshAddress()
      const send = () =>
        exchange(service.address, rawRequest(`GET ${target}`, { 'x-forwarded-for': address })).then(
          ([answer]) => answer,
        )
      const first = await send()
      assert.deepEqual([first?.status, limitsIn(first?.headers.get('ratelimit')).general?.r], [400, 29])
      await repeat(29, () => nothing(service, from(address)))
      const start = service.logged.length
      const refused = await send()
      assertRefusal(refused, 429, 'rate_limited')
      assert.ok(Number(refused?.headers.get('retry-after')) > 0)
      const line = JSON.parse(await untilLogged(service.logged, /"request completed"/, start))
      assert.deepEqual([line.status, line.code, line.ip], [429, 'rate_limited', address])
      assertProblem(await nothing(service, from(address)), 429, 'rate_limited')
    })
  }

  it('can be raised or lowered by RATE_LIMIT_PER_MINUTE', async () => {
    const small = await startTestApp({ ...ON, RATE_LIMIT_PER_MINUTE: '3' }, service.db)
    try {
      assert.deepEqual(await repeat(4, () => nothing(small)), [404, 404, 404, 429])
      assert.equal((await nothing(small)).headers.get('ratelimit-policy'), '"general";q=3;w=60')
    } finally {
      await small.close()
    }
  })

  it('is disabled with its headers by RATE_LIMIT_ENABLED=false', async () => {
    const free = await startTestApp({}, service.db)
    try {
      assert.equal(servedOf(await repeat(40, () => nothing(free))), 40)
      const { headers } = await free.client.post('/auth/login', {})
      assert.deepEqual([headers.get('ratelimit'), headers.get('ratelimit-policy')], [null, null])
    } finally {
      await free.close()
    }
  })
})

describe('the limits of single routes', () => {
  /** By path; the status of a request with nothing in its body. */
  const limited: [path: string, name: string, requests: number, status?: number][] = [
    ['/auth/login', 'login', 5],
    ['/auth/login/second-factor', 'login', 5], // One limit for all ways to sign in.
    ['/auth/passkeys/login', 'login', 5],
    ['/auth/passkeys/options', 'passkey-options', 10, 200],
    ['/auth/step-up', 'step-up', 5, 401],
    ['/auth/register', 'register', 5],
    ['/auth/invitations/register', 'register', 5], // One limit for both ways to sign up.
    ['/auth/invitations/preview', 'invitation-preview', 10],
    ['/auth/invitation-links/preview', 'invitation-link-preview', 10],
    ['/auth/invitations/decline', 'invitation-decline', 10],
    ['/auth/forgot-password', 'forgot-password', 3],
    ['/auth/reset-password', 'reset-password', 3],
    ['/auth/reset-password/check', 'reset-password-check', 3],
    ['/auth/verify-email', 'verify-email', 10],
    ['/auth/verify-email/check', 'verify-email-check', 10],
    ['/auth/verify-email/resend', 'resend-confirmation', 3],
    ['/auth/undo-email-change', 'undo-email-change', 10],
    ['/auth/undo-email-change/check', 'undo-email-change-check', 10],
    ['/auth/undo-factor-change', 'undo-factor-change', 10],
    ['/auth/undo-factor-change/check', 'undo-factor-change-check', 10],
    ['/auth/cancel-factor-reset', 'cancel-factor-reset', 10],
    ['/auth/cancel-factor-reset/check', 'cancel-factor-reset-check', 10],
  ]
  const byName = new Map(limited.map((each) => [each[1], each]))

  it('are all tried here', () => {
    const declared = routes.flatMap(({ arguments: [, url, { limit }] }) =>
      limit && !limit.by ? [`${url} ${limit.name} ${limit.requests} ${limit.perSeconds}`] : [],
    )
    const tried = limited.map(([path, name, requests]) => `/api${path} ${name} ${requests} 60`)
    assert.deepEqual(declared.sort(), tried.sort())
  })

  for (const [path, name, requests, status = 400] of limited) {
    it(`serve ${requests} a minute at ${path}, valid or not, without an effect on other routes`, async () => {
      const me = from(freshAddress())
      const post = (body: unknown = {}) => service.client.post(path, body, me)
      assert.deepEqual(await repeat(requests, post), Array(requests).fill(status))
      const refused = await post()
      assertProblem(refused, 429, 'rate_limited')
      assert.equal(refused.headers.get('ratelimit-policy'), `"general";q=30;w=60, "${name}";q=${requests};w=60`)
      const states = limitsIn(refused.headers.get('ratelimit'))
      assert.deepEqual([states.general?.r, states[name]?.r], [30 - requests - 1, 0])
      assert.equal(refused.headers.get('retry-after'), String(states[name]?.t))
      for (const [other, its, , expected = 400] of byName.values())
        if (its !== name) assert.equal((await service.client.post(other, {}, me)).status, expected, other)
    })
  }

  it('are shared by all ways to sign in, and by both to sign up', async () => {
    for (const shared of ['login', 'register']) {
      const me = from(freshAddress())
      const paths = limited.filter(([, name]) => name === shared).map(([path]) => path)
      const statuses: number[] = []
      for (let sent = 0; sent <= 5; sent++)
        statuses.push((await service.client.post(paths[sent % paths.length] as string, {}, me)).status)
      assert.deepEqual(statuses, [400, 400, 400, 400, 400, 429])
    }
  })

  it('serve 30 changes of a profile a minute for one account, whatever sessions and networks they come from', async () => {
    const [ann, bob] = [
      await signUp(service.client.with(from(freshAddress()))),
      await signUp(service.client.with(from(freshAddress()))),
    ]
    const other = await signIn(service.client.with(from(freshAddress())), ann.email)
    const rename = ({ accessToken: token }: Pick<Person, 'accessToken'>) =>
      service.client.put('/auth/profile', { name: 'Renamed' }, { ...from(freshAddress()), token })
    assert.deepEqual(await repeat(15, () => rename(ann)), Array(15).fill(200))
    assert.deepEqual(await repeat(16, () => rename(other)), [...Array(15).fill(200), 429])
    assert.equal((await rename(ann)).status, 429)
    assert.equal((await rename(bob)).status, 200)
  })

  it('serve 10 checks of the password a minute to one session, whatever networks they come from', async () => {
    const ann = await signUp(service.client.with(from(freshAddress())))
    const paths = [
      '/auth/change-password',
      '/auth/change-temporary-password',
      `/companies/${ann.company.id}/ownership-transfer/accept`,
    ]
    const statuses = []
    for (let sent = 0; sent <= 10; sent++) {
      const path = paths[sent % paths.length] as string
      const answer = await service.client.post(path, {}, { ...from(freshAddress()), token: ann.accessToken })
      statuses.push(answer.status)
    }
    assert.deepEqual(statuses, [...Array(10).fill(400), 429])
  })

  it('apply to parallel requests', async () => {
    const me = from(freshAddress())
    const logIn = () => service.client.post('/auth/login', {}, me)
    const answers = await Promise.all(Array.from({ length: 20 }, logIn))
    assert.equal(servedOf(answers.map(({ status }) => status)), 5)
    const others = await Promise.all(Array.from({ length: 20 }, () => nothing(service, me)))
    assert.equal(servedOf(others.map(({ status }) => status)), 10)
  })

  it('apply in addition to the general one', async () => {
    const me = from(freshAddress())
    await repeat(30, () => nothing(service, me))
    assertProblem(await service.client.post('/auth/verify-email', {}, me), 429, 'rate_limited')
  })

  it('refuse a correct password, too', async () => {
    const ann = await signUp(service.client.with(from(freshAddress())))
    const me = from(freshAddress())
    const logIn = () => service.client.post('/auth/login', { email: ann.email, password: PASSWORD }, me)
    assert.deepEqual(await repeat(6, logIn), [200, 200, 200, 200, 200, 429])
  })

  const variants = [
    '/auth/login/',
    '//auth/login',
    '/AUTH/LOGIN',
    '/auth//login',
    '/auth/./login',
    '/auth/%6Cogin',
    '/%61uth/%6c%6F%67%69%6E',
    '/auth%2Flogin',
    '/auth/login?x=1',
    '/auth/login?',
    '/auth/login#x',
    '/auth/login;x=1',
    '/auth/login%00',
    '/auth/login%20',
    '/../api/auth/login',
  ]
  for (const variant of variants) {
    it(`cannot be bypassed by another spelling: ${variant}`, async () => {
      const address = freshAddress()
      await repeat(5, () => service.client.post('/auth/login', {}, from(address)))
      const ann = registration()
      const body = JSON.stringify({ email: ann.email, password: PASSWORD })
      const headers = { 'content-type': 'application/json', 'content-length': body.length, 'x-forwarded-for': address }
      // Sent unchanged, because fetch normalizes paths.
      const [answer] = await exchange(service.address, rawRequest(`POST /api${variant}`, headers, body))
      assert.ok([404, 429].includes(answer?.status ?? 0), String(answer?.status))
      assert.equal(limitsIn(answer?.headers.get('ratelimit') ?? '').general?.r, 24)
    })
  }

  it('cannot be bypassed by an absolute URL, or an uncounted path before it', async () => {
    const address = freshAddress()
    await repeat(5, () => service.client.post('/auth/login', {}, from(address)))
    const headers = { 'content-type': 'application/json', 'content-length': 2, 'x-forwarded-for': address }
    for (const target of [
      'http://localhost/api/auth/login',
      'http://x/api/health/../auth/login',
      '/api/health/../auth/login',
    ]) {
      const [answer] = await exchange(service.address, rawRequest(`POST ${target}`, headers, '{}'))
      assert.ok([404, 429].includes(answer?.status ?? 0), `${target} ${answer?.status}`)
    }
  })
})

describe('the limits do not count', () => {
  const preflight = { origin: 'https://app.example.com', 'access-control-request-method': 'POST' }

  for (const origins of ['https://app.example.com', '']) {
    it(`CORS preflights, with CORS_ORIGINS=${origins}`, async () => {
      const app = await startTestApp({ ...ON, CORS_ORIGINS: origins }, service.db)
      try {
        for (let i = 0; i < 40; i++) {
          const { status, headers } = await app.client.send('OPTIONS', '/auth/login', undefined, { headers: preflight })
          assert.deepEqual([status, headers.get('ratelimit')], [204, null])
        }
        assert.equal(limitsIn((await nothing(app)).headers.get('ratelimit')).general?.r, 29)
      } finally {
        await app.close()
      }
    })
  }

  const free = [
    '/api/health',
    '/api/health/ready',
    '/.well-known/jwks.json',
    '/api/docs',
    '/api/docs/',
    '/api/docs-json',
  ]
  it('health checks, public keys, documentation and pages, even when the limit is reached', async () => {
    const address = freshAddress()
    await repeat(31, () => nothing(service, from(address)))
    const authorization = `Basic ${btoa('docs:docs-password')}`
    for (const path of [
      ...free,
      '/',
      '/?x=1',
      '/api/docs/static/swagger-ui.css',
      '/verify-email?token=x',
      '/reset-password',
      '/undo-email-change?token=x',
      '/undo-factor-change?token=x',
      '/cancel-factor-reset?token=x',
      '/pages/page.js',
      '/pages/theme.css',
    ]) {
      const response = await fetch(service.address + path, { headers: { 'x-forwarded-for': address, authorization } })
      assert.deepEqual([response.status, response.headers.get('ratelimit')], [200, null], path)
    }
  })

  it('nothing else, even if its path is similar', async () => {
    const address = freshAddress()
    const paths = [
      '//',
      '/x',
      '/api/healthy',
      '/api/health/x',
      '/api/docsx',
      '/.well-known/x',
      '/pages/x',
      '/reset-password/x',
    ]
    for (const [index, path] of paths.entries()) {
      const { headers } = await fetch(service.address + path, { headers: { 'x-forwarded-for': address } })
      assert.equal(limitsIn(headers.get('ratelimit')).general?.r, 29 - index, path)
    }
  })
})
