import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { startTestApp, type TestApp, useTestApp } from '../../test/support/app.ts'
import { Page } from '../../test/support/browser.ts'
import type { Answer } from '../../test/support/client.ts'
import { exchange, rawRequest } from '../../test/support/http.ts'
import { assertProblem, PASSWORD, type Person, registration, signUp } from '../../test/support/people.ts'

const OWN = 'https://app.example.com'
const LISTED = 'https://console.example.com'
const NAME = '__Host-tenantry_refresh_token'

const service = await useTestApp({ CORS_ORIGINS: LISTED })
const { client } = service
const victim = await signUp(client)

const sessionsOf = async ({ id }: Pick<Person, 'id'>) => {
  const [row] = await service.db.query<{ live: number }>(
    'select count(*)::int as live from sessions where account_id = $1 and revoked_at is null',
    [id],
  )
  return row?.live
}

async function signedIn(app: TestApp = service, origin = OWN) {
  const page = new Page(app.client, origin)
  const { status, body } = await page.register()
  assert.equal(status, 201, JSON.stringify(body))
  return page
}

const tokenIn = (page: Page) => page.cookies.get(NAME) as string
const setsNone = (answer: Answer) => assert.deepEqual(answer.headers.getSetCookie(), [])

/** The four calls that a session in a cookie is used by, as a page of this origin sends them; without one: no browser. */
async function everyUse(page: Page, origin: string | undefined): Promise<Answer[]> {
  const headers: Record<string, string> = {
    cookie: `${NAME}=${tokenIn(page)}`,
    ...(origin !== undefined && { origin }),
  }
  const mode = { headers: { ...headers, 'x-session': 'cookie' } }
  return [
    await client.post('/auth/login', { email: victim.email, password: PASSWORD, sessionIn: 'cookie' }, { headers }),
    await client.post('/auth/register', { ...registration(), sessionIn: 'cookie' }, { headers }),
    await client.post('/auth/refresh', {}, mode),
    await client.post('/auth/logout', {}, { ...mode, token: page.accessToken }),
  ]
}

describe('a page of another origin', () => {
  const FOREIGN = [
    undefined,
    '',
    'null',
    '*',
    'https://evil.example',
    'https://evil.app.example.com',
    'https://example.com',
    'https://app.example.com.evil.example',
    'https://app.example.com:8443',
    'https://app.example.com:443',
    'http://app.example.com',
    'http://console.example.com',
    'https://APP.example.com',
    'HTTPS://app.example.com',
    'https://app.example.com/',
    'https://app.example.com@evil.example',
    'https://app.example.com, https://evil.example',
    'https://evil.example, https://app.example.com',
    'https://xn--pp-6kc.example.com',
    'http://localhost:3000',
  ]
  for (const origin of FOREIGN) {
    it(`neither signs a browser in nor uses its session: ${origin}`, async () => {
      const page = await signedIn()
      const live = await sessionsOf(victim)
      for (const answer of await everyUse(page, origin)) {
        assertProblem(answer, 403, 'origin_not_allowed')
        setsNone(answer)
      }
      assert.equal(await sessionsOf(victim), live)
      assert.equal((await client.get('/auth/me', { token: page.accessToken })).status, 200)
      assert.equal((await page.refresh()).status, 200)
    })
  }

  it('may use a session in a cookie when CORS_ORIGINS lists it', async () => {
    const page = await signedIn(service, LISTED)
    const statuses = (await everyUse(page, LISTED)).map(({ status }) => status)
    assert.deepEqual(statuses, [200, 201, 200, 200])
  })

  it('that names itself twice is refused', async () => {
    const page = await signedIn()
    const request = rawRequest('POST /api/auth/refresh', {
      cookie: `${NAME}=${tokenIn(page)}`,
      'x-session': `cookie\r\nOrigin: ${OWN}\r\nOrigin: ${OWN}`,
    })
    const [answer] = await exchange(service.address, request)
    assert.equal(answer?.status, 403)
    assert.equal((await page.refresh()).status, 200)
  })

  it('leaves a record of the attempt', async () => {
    const page = await signedIn()
    await everyUse(page, 'https://evil.example')
    const rows = await service.db.query<{ action: string }>(
      `select action from audit_records where outcome = 'origin_not_allowed' and actor_id = $1`,
      [JSON.parse(Buffer.from(page.accessToken.split('.')[1] as string, 'base64url').toString()).sub],
    )
    assert.deepEqual(
      rows.map(({ action }) => action),
      ['sessions.sign_out'],
    )
  })

  it('is refused before the body is validated and a password verified', async () => {
    const headers = { origin: 'https://evil.example' }
    const answer = await client.post('/auth/login', { email: 5, sessionIn: 'cookie' }, { headers })
    assertProblem(answer, 403, 'origin_not_allowed')
  })
})

describe('an answer to another origin', () => {
  const preflight = (app: TestApp, origin: string, path: string) =>
    app.client.send('OPTIONS', path, undefined, {
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,x-session',
      },
    })

  it('allows cookies and x-session for exactly the origins in CORS_ORIGINS', async () => {
    for (const path of ['/auth/login', '/auth/refresh', '/auth/logout', '/auth/me', '/nothing']) {
      const { headers } = await preflight(service, LISTED, path)
      assert.equal(headers.get('access-control-allow-origin'), LISTED)
      assert.equal(headers.get('access-control-allow-credentials'), 'true')
      assert.equal(headers.get('access-control-allow-headers'), 'content-type,x-session')
      assert.match(headers.get('vary') ?? '', /\borigin\b/i)
      for (const origin of [OWN, 'https://evil.example', 'null', 'https://x.console.example.com']) {
        const refused = await preflight(service, origin, path)
        assert.equal(refused.headers.get('access-control-allow-origin'), null)
        assert.equal(refused.headers.get('access-control-allow-credentials'), null)
        assert.match(refused.headers.get('vary') ?? '', /\borigin\b/i)
      }
    }
  })

  it('allows them also where it is a refusal, and exposes no cookie', async () => {
    const answer = await new Page(client, LISTED).refresh()
    assertProblem(answer, 401, 'refresh_token_invalid')
    assert.equal(answer.headers.get('access-control-allow-credentials'), 'true')
    assert.doesNotMatch(answer.headers.get('access-control-expose-headers') ?? '', /cookie/i)
  })
})

describe('in development', () => {
  it('the service has the names localhost, 127.0.0.1 and [::1] on its port, and no other port or name', async () => {
    const app = await startTestApp({ NODE_ENV: 'development', APP_URL: '', PORT: '0' }, service.db)
    try {
      const { port } = app.app.server.address() as AddressInfo
      const own = ['localhost', '127.0.0.1', '[::1]'].map((host) => `http://${host}:${port}`)
      for (const origin of own) assert.equal((await new Page(app.client, origin).register()).status, 201, origin)
      const others = [
        `https://localhost:${port}`,
        `http://localhost:${port + 1}`,
        'http://localhost',
        `http://app.localhost:${port}`,
        `http://127.0.0.2:${port}`,
        `http://[::1%25lo]:${port}`,
        'null',
      ]
      for (const origin of others) {
        const answer = await new Page(app.client, origin).register()
        assertProblem(answer, 403, 'origin_not_allowed')
        assert.equal(answer.headers.get('access-control-allow-credentials'), null)
      }
    } finally {
      await app.close()
    }
  })

  it('its other names are no origins of production', async () => {
    const settings = {
      NODE_ENV: 'production',
      APP_URL: 'https://localhost:3000',
      DATABASE_URL: 'postgres://localhost/x',
      MAIL_FROM: 'no-reply@example.com',
      SMTP_URL: 'smtp://localhost:1',
    }
    const app = await startTestApp(settings, service.db)
    try {
      for (const origin of ['https://127.0.0.1:3000', 'https://[::1]:3000'])
        assertProblem(await new Page(app.client, origin).register(), 403, 'origin_not_allowed')
      assert.equal((await new Page(app.client, 'https://localhost:3000').register()).status, 201)
    } finally {
      await app.close()
    }
  })
})

describe('a cookie that was planted', () => {
  const send = (cookie: string) =>
    client.post('/auth/refresh', {}, { headers: { cookie, origin: OWN, 'x-session': 'cookie' } })

  /** What a subdomain, or a page over plain HTTP, could make a browser send. */
  const planted: [name: string, cookie: (token: string) => string][] = [
    ['without the prefix', (token) => `tenantry_refresh_token=${token}`],
    ['with another prefix', (token) => `__Secure-tenantry_refresh_token=${token}`],
    ['in other case', (token) => `${NAME.toLowerCase()}=${token}; ${NAME.toUpperCase()}=${token}`],
    ['with an encoded name', (token) => `${NAME.replace('H', '%48')}=${token}`],
    ['with a no-break space before its name', (token) => `\u00a0${NAME}=${token}`],
    ['with a vertical tab before its name', (token) => `x=y;\u0085${NAME}=${token}`],
    ['with a space after its name', (token) => `${NAME} =${token}`],
    ['in the value of another one', (token) => `x=${NAME}=${token}`],
    ['between quotation marks', (token) => `x="; ${NAME}="${token}"`],
    ['in quotation marks', (token) => `${NAME}="${token}"`],
    ['with an encoded value', (token) => `${NAME}=${token.replaceAll('.', '%2E')}`],
    ['as a longer name', (token) => `${NAME}2=${token}`],
    ['after a comma', (token) => `x=y, ${NAME}=${token}`],
    ['twice', (token) => `${NAME}=${token}; ${NAME}=${token}`],
    ['twice, once empty', (token) => `${NAME}=; ${NAME}=${token}`],
    ['twice, once after a tab', (token) => `${NAME}=x;\t${NAME}=${token}`],
  ]
  for (const [name, cookie] of planted) {
    it(`is no session: ${name}`, async () => {
      const page = await signedIn()
      assertProblem(await send(cookie(tokenIn(page))), 401, 'refresh_token_invalid')
      assert.equal((await page.refresh()).status, 200)
    })
  }

  it('in a second header makes both invalid', async () => {
    const page = await signedIn()
    const headers = { origin: OWN, 'x-session': 'cookie', cookie: `${NAME}=x\r\nCookie: ${NAME}=${tokenIn(page)}` }
    const [answer] = await exchange(service.address, rawRequest('POST /api/auth/refresh', headers))
    assert.equal(answer?.status, 401)
    assert.equal((await page.refresh()).status, 200)
  })

  it('that is no refresh token is refused, whatever it is', async () => {
    const page = await signedIn()
    const values = [
      page.accessToken,
      'x',
      'a.b.c',
      `${tokenIn(page)}x`,
      'x'.repeat(8000),
      '.'.repeat(5000),
      '\u00ff',
      '%00',
    ]
    for (const value of values) assertProblem(await send(`${NAME}=${value}`), 401, 'refresh_token_invalid')
    for (const cookie of ['', ';', '=', ';;;=;', `${NAME}`, `${NAME}=`, `;${';'.repeat(3000)}`, 'a='.repeat(4000)])
      assertProblem(await send(cookie), 401, 'refresh_token_invalid')
  })

  it('among others does not hide the session', async () => {
    const page = await signedIn()
    const token = tokenIn(page)
    const answer = await send(`a=b; tenantry_refresh_token=x; ;=;${NAME}=${token} ; ${NAME}x=y; \u00a0${NAME}=z`)
    assert.equal(answer.status, 200)
  })
})

describe('a request that says where its session is in two ways', () => {
  it('is refused when a token is in the body as well, and spends neither', async () => {
    const page = await signedIn()
    for (const refreshToken of [victim.refreshToken, tokenIn(page), 'x', '', null, 5]) {
      for (const answer of [await page.refresh({ refreshToken }), await page.signOut({ refreshToken })]) {
        assertProblem(answer, 400, 'validation_failed')
        assert.deepEqual(answer.body.details, [
          { path: 'refreshToken', message: 'can’t be sent together with x-session: cookie' },
        ])
        setsNone(answer)
      }
    }
    assert.equal((await page.refresh()).status, 200)
    assert.equal((await client.get('/auth/me', { token: victim.accessToken })).status, 200)
  })

  for (const value of ['', 'Cookie', 'cookies', 'body', 'cookie, cookie', 'cookie;', 'true', 'x'.repeat(1000)]) {
    it(`is refused with another value of x-session: ${value.slice(0, 20)}`, async () => {
      const page = await signedIn()
      const headers = { 'x-session': value }
      for (const body of [{}, { refreshToken: tokenIn(page) }])
        for (const answer of [await page.refresh(body, { headers }), await page.signOut(body, { headers })]) {
          assertProblem(answer, 400, 'validation_failed')
          assert.deepEqual(answer.body.details, [{ path: 'x-session', message: 'must be cookie' }])
          setsNone(answer)
        }
      assert.equal((await page.refresh()).status, 200)
    })
  }

  it('is refused with another value of sessionIn, before anything is done', async () => {
    const page = new Page(client, OWN)
    for (const sessionIn of ['Cookie', 'body', '', null, true, ['cookie'], { cookie: 1 }]) {
      const details = registration()
      for (const path of ['/auth/register', '/auth/login']) {
        const answer = await page.send(path, { ...details, sessionIn })
        assertProblem(answer, 400, 'validation_failed')
        assert.deepEqual(answer.body.details, [{ path: 'sessionIn', message: 'must be cookie' }])
        setsNone(answer)
      }
    }
  })

  it('and whose body is no object is refused as ever', async () => {
    const page = await signedIn()
    for (const raw of ['[]', '"cookie"', 'null', '5', '[{"refreshToken":"x"}]']) {
      for (const answer of [
        await page.refresh(undefined, { raw }),
        await page.send('/auth/login', undefined, { raw }),
      ]) {
        assertProblem(answer, 400, 'validation_failed')
        setsNone(answer)
      }
    }
    assert.equal((await page.refresh()).status, 200)
  })
})

describe('a session cookie', () => {
  it('opens nothing by itself', async () => {
    const page = await signedIn()
    const headers = { cookie: `${NAME}=${tokenIn(page)}`, origin: OWN, 'x-session': 'cookie' }
    assertProblem(await client.get('/auth/me', { headers }), 401, 'token_missing')
    assertProblem(await client.post('/auth/logout', {}, { headers }), 401, 'token_missing')
  })

  it('is in no line of the log', async () => {
    const page = await signedIn()
    const tokens = [tokenIn(page)]
    await page.refresh()
    tokens.push(tokenIn(page))
    await everyUse(page, 'https://evil.example')
    await page.signOut()
    const log = service.logged.join('')
    assert.ok(log.includes('/api/auth/refresh'))
    for (const token of tokens) for (const part of token.split('.').slice(1)) assert.equal(log.includes(part), false)
    assert.equal(log.includes(NAME), false)
    assert.equal(log.includes('evil.example'), false)
  })
})
