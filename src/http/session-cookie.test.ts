import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startTestApp, useTestApp } from '../../test/support/app.ts'
import { cookieOf, Page, readSetCookie, sessionOf, withKey } from '../../test/support/browser.ts'
import { whileSessionLocked } from '../../test/support/locked-session.ts'
import { OPERATOR } from '../../test/support/operator.ts'
import { assertProblem, PASSWORD, registration, signIn, signUp } from '../../test/support/people.ts'
import { disableAccount } from '../features/auth/disable-account.ts'

const OWN = 'https://app.example.com'
const NAME = '__Host-tenantry_refresh_token'
const SECURE = ['Path=/', 'HttpOnly', 'Secure', 'SameSite=Strict']

const service = await useTestApp()
const { client } = service

/** A page of a new account that is signed in. */
async function signedUp() {
  const page = new Page(client, OWN)
  const details = registration()
  const answer = await page.register(details)
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return { page, details, answer, id: answer.body.data.user.id as string, sessionId: sessionOf(page.accessToken) }
}

const tokenIn = (page: Page) => page.cookies.get(NAME) as string
const me = (page: Page) => client.get('/auth/me', { token: page.accessToken })

const reasonOf = async (sessionId: string) => {
  const [row] = await service.db.query<{ reason: string | null }>(
    'select revoked_reason as reason from sessions where id = $1',
    [sessionId],
  )
  return row?.reason
}

/** Less than a minute of it may have passed. */
function assertSevenDays(maxAge: number): void {
  const seconds = 7 * 24 * 3600
  assert.ok(maxAge > seconds - 60 && maxAge <= seconds, String(maxAge))
}

describe('sessionIn: "cookie"', () => {
  it('puts the refresh token of a sign-up and a sign-in into the cookie, and not into the answer', async () => {
    const { page, details, answer } = await signedUp()
    const again = await page.signIn(details)
    assert.equal(again.status, 200)
    for (const { headers, body } of [answer, again]) {
      const { name, value, maxAge, attributes } = cookieOf({ status: 200, headers, body })
      assert.deepEqual({ name, attributes }, { name: NAME, attributes: SECURE })
      assertSevenDays(maxAge)
      assert.match(value, /^[\w-]+\.[\w-]+\.[\w-]+$/)
      assert.deepEqual(Object.keys(body.data), [
        'user',
        'tenants',
        'companyPermissions',
        'companyRoles',
        'companyAccess',
        'unopenedCompanies',
        'accessToken',
      ])
      assert.equal(JSON.stringify(body).includes(value.split('.')[2] as string), false)
    }
    assert.equal((await me(page)).status, 200)
  })

  it('left out keeps the answer as it is: with both tokens and without a cookie, for any page', async () => {
    const details = registration()
    const { email, password } = details
    await client.post('/auth/register', details)
    for (const headers of [{}, { origin: OWN }, { origin: 'https://elsewhere.example' }, { 'x-session': 'cookie' }]) {
      const signedUp = await client.post('/auth/register', registration(), { headers })
      assert.equal(signedUp.status, 201)
      const signedIn = await client.post('/auth/login', { email, password }, { headers })
      for (const answer of [signedUp, signedIn]) {
        assert.deepEqual(answer.headers.getSetCookie(), [])
        assert.deepEqual(Object.keys(answer.body.data).slice(-2), ['accessToken', 'refreshToken'])
      }
    }
  })

  it('is also for a person with a temporary password, who then chooses another one', async () => {
    const { page, details, id } = await signedUp()
    await service.db.query(`update sessions set must_change_password = true where account_id = $1`, [id])
    await service.db.query(
      `update passwords set kind = 'temporary', expires_at = now() + interval '1 hour' where account_id = $1`,
      [id],
    )
    assert.equal((await page.refresh()).status, 200)
    assertProblem(await me(page), 403, 'password_change_required')
    assert.equal((await page.signOut()).status, 200)
    assert.equal((await page.signIn(details)).status, 200)
  })
})

describe('x-session: cookie', () => {
  it('exchanges the token in the cookie for one in the next cookie', async () => {
    const { page } = await signedUp()
    const before = tokenIn(page)
    const answer = await page.refresh()
    assert.equal(answer.status, 200)
    assert.deepEqual(Object.keys(answer.body.data), ['accessToken'])
    const { name, value, maxAge, attributes } = cookieOf(answer)
    assert.deepEqual({ name, attributes }, { name: NAME, attributes: SECURE })
    assertSevenDays(maxAge)
    assert.notEqual(value, before)
    assert.equal((await me(page)).status, 200)
    assert.equal((await page.refresh({})).status, 200)
  })

  it('ends with the session: the cookie lasts no longer than the last token', async () => {
    const { page, sessionId } = await signedUp()
    await service.db.query(`update sessions set expires_at = now() + interval '1 hour' where id = $1`, [sessionId])
    const { maxAge } = cookieOf(await page.refresh())
    assert.ok(maxAge > 3500 && maxAge <= 3600, String(maxAge))
  })

  it('gives two tabs that refresh at once the same cookie', async () => {
    const { page, sessionId } = await signedUp()
    const [a, b] = await whileSessionLocked(service, { sessionId }, 2, () =>
      Promise.all([page.duplicate().refresh({}), page.duplicate().refresh({})]),
    )
    assert.deepEqual([a.status, b.status], [200, 200])
    assert.deepEqual(a.headers.getSetCookie(), b.headers.getSetCookie())
    assert.deepEqual(a.body, b.body)
  })

  it('gives a retry of a lost answer the same cookie, by its key', async () => {
    const { page } = await signedUp()
    const [lost, key] = [page.duplicate(), withKey()]
    const [first, again] = [await lost.refresh({}, key), await page.refresh({}, key)]
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
    assert.deepEqual(again.headers.getSetCookie(), first.headers.getSetCookie())
    assert.deepEqual(again.body, first.body)
    assert.equal((await page.refresh()).status, 200)
  })

  it('refuses a spent token and clears the cookie; later the session ends as stolen', async () => {
    const { page, sessionId } = await signedUp()
    const thief = page.duplicate()
    const late = page.duplicate()
    assert.equal((await page.refresh()).status, 200)
    for (const [spent, seconds] of [
      [thief, 0],
      [late, 11],
    ] as const) {
      await service.db.query(`update sessions set rotated_at = rotated_at - make_interval(secs => $2) where id = $1`, [
        sessionId,
        seconds,
      ])
      const refused = await spent.refresh()
      assertProblem(refused, 401, 'refresh_token_invalid')
      assert.deepEqual(cookieOf(refused), { name: NAME, value: '', maxAge: 0, attributes: SECURE })
    }
    assert.equal(await reasonOf(sessionId), 'refresh_token_reused')
    assertProblem(await page.refresh(), 401, 'refresh_token_invalid')
  })

  it('clears the cookie of a session that ended elsewhere, of a disabled account, and a missing one', async () => {
    const [ended, disabled, missing] = [await signedUp(), await signedUp(), await signedUp()]
    const elsewhere = await signIn(client, ended.details.email)
    assert.equal((await elsewhere.api.delete('/auth/sessions')).status, 200)
    await disableAccount(service.database, OPERATOR, disabled.id, { notifies: false, reason: 'abuse' })
    missing.page.cookies.clear()
    for (const { page } of [ended, disabled, missing]) {
      const refused = await page.refresh()
      assertProblem(refused, 401, 'refresh_token_invalid')
      assert.deepEqual(cookieOf(refused), { name: NAME, value: '', maxAge: 0, attributes: SECURE })
    }
    assert.equal(await reasonOf(missing.sessionId), null)
  })

  it('left out sets and clears no cookie, and takes none', async () => {
    const { page } = await signedUp()
    const cookie = `${NAME}=${tokenIn(page)}`
    const missing = await client.post('/auth/refresh', {}, { headers: { cookie, origin: OWN } })
    assertProblem(missing, 400, 'validation_failed')
    assert.deepEqual(missing.body.details, [{ path: 'refreshToken', message: 'is required' }])
    const refused = await client.post('/auth/refresh', { refreshToken: 'x' }, { headers: { cookie, origin: OWN } })
    assertProblem(refused, 401, 'refresh_token_invalid')
    const ann = await signUp(client)
    const refreshed = await client.post('/auth/refresh', { refreshToken: ann.refreshToken }, { headers: { cookie } })
    assert.deepEqual(Object.keys(refreshed.body.data), ['accessToken', 'refreshToken'])
    const signedOut = await ann.api.post('/auth/logout', { refreshToken: 'x' }, { headers: { cookie, origin: OWN } })
    for (const answer of [missing, refused, refreshed, signedOut]) assert.deepEqual(answer.headers.getSetCookie(), [])
    assertProblem(await page.duplicate().send('/auth/logout', {}), 400, 'validation_failed')
    assert.equal((await page.refresh()).status, 200)
  })
})

describe('signing out with x-session: cookie', () => {
  it('ends the session and clears the cookie', async () => {
    const { page, sessionId } = await signedUp()
    const copy = page.duplicate()
    const answer = await page.signOut()
    assert.equal(answer.status, 200)
    assert.deepEqual(cookieOf(answer), { name: NAME, value: '', maxAge: 0, attributes: SECURE })
    assert.equal(await reasonOf(sessionId), 'signed_out')
    assertProblem(await copy.refresh(), 401, 'refresh_token_invalid')
    assertProblem(await me(copy), 401, 'token_invalid')
  })

  it('needs no cookie', async () => {
    const { page, sessionId } = await signedUp()
    page.cookies.clear()
    assert.equal((await page.signOut()).status, 200)
    assert.equal(await reasonOf(sessionId), 'signed_out')
  })

  it('ends the session of the cookie, too, where that is another one of the account, and of no other account', async () => {
    const { page, details, sessionId } = await signedUp()
    const other = await signIn(client, details.email)
    const stranger = await signUp(client)
    page.cookies.set(NAME, other.refreshToken)
    assert.equal((await page.signOut()).status, 200)
    assert.deepEqual([await reasonOf(sessionId), await reasonOf(other.sessionId)], ['signed_out', 'signed_out'])
    const next = await signedUp()
    next.page.cookies.set(NAME, stranger.refreshToken)
    assert.equal((await next.page.signOut()).status, 200)
    assert.equal(await reasonOf(stranger.sessionId), null)
  })

  it('keeps the cookie of another account, to which another front end of this host has signed in', async () => {
    const [{ page, sessionId }, other] = [await signedUp(), await signedUp()]
    page.cookies.set(NAME, tokenIn(other.page))
    const answer = await page.signOut()
    assert.deepEqual([answer.status, answer.headers.getSetCookie()], [200, []])
    assert.deepEqual([await reasonOf(sessionId), await reasonOf(other.sessionId)], ['signed_out', null])
    assert.equal((await page.refresh()).status, 200)
  })

  it('clears a cookie of the account whose session has ended, and one that is no refresh token', async () => {
    const { page, details } = await signedUp()
    const other = await signIn(client, details.email)
    await other.api.post('/auth/logout', { refreshToken: other.refreshToken })
    page.cookies.set(NAME, other.refreshToken)
    assert.equal(cookieOf(await page.signOut()).maxAge, 0)
    const next = (await signedUp()).page
    next.cookies.set(NAME, `${tokenIn(next)}x`)
    assert.equal(cookieOf(await next.signOut()).maxAge, 0)
  })

  it('keeps the cookie when it is refused', async () => {
    const { page } = await signedUp()
    const refused = await page.signOut({}, { token: 'x' })
    assertProblem(refused, 401, 'token_invalid')
    assert.deepEqual(refused.headers.getSetCookie(), [])
  })
})

describe('a repetition with the same Idempotency-Key', () => {
  it('sets the same cookie after a sign-up and a sign-in, and stores no readable token', async () => {
    const page = new Page(client, OWN)
    const [details, key] = [registration(), withKey()]
    for (const open of [() => page.register(details, key), () => page.signIn(details, withKeyOf(key, 'b'))]) {
      const [first, again] = [await open(), await open()]
      assert.equal(again.headers.get('idempotent-replayed'), 'true')
      assert.deepEqual(again.headers.getSetCookie(), first.headers.getSetCookie())
      assert.deepEqual(again.body, first.body)
      const [header, , mac] = cookieOf(first).value.split('.') as [string, string, string]
      const rows = await service.db.query<{ response: Buffer }>(
        'select response from idempotent_requests where response is not null',
      )
      assert.ok(rows.length > 0)
      for (const part of [header, mac, 'tenantry_refresh_token', 'refreshToken'])
        assert.equal(
          rows.some(({ response }) => response.includes(part)),
          false,
          part,
        )
    }
    assert.equal((await page.refresh()).status, 200)
  })

  it('does not move the token from the cookie into the answer, or back', async () => {
    const [details, key] = [registration(), withKey()]
    const page = new Page(client, OWN)
    assert.equal((await page.register(details, key)).status, 201)
    assertProblem(await client.post('/auth/register', details, key), 422, 'idempotency_key_reused')
    assert.equal((await page.signIn(details, key)).status, 200)
    const plain = await client.post('/auth/login', { email: details.email, password: PASSWORD }, key)
    assert.equal(plain.headers.get('idempotent-replayed'), null)
    assert.equal(typeof plain.body.data.refreshToken, 'string')
  })

  it('repeats a refusal, without a cookie', async () => {
    const page = new Page(client, OWN)
    const details = registration()
    await page.register(details)
    for (const isRepeated of [false, true]) {
      const refused = await page.register(details, withKeyOf({ headers: { 'idempotency-key': details.taxId } }, 'c'))
      assertProblem(refused, 409, 'email_taken')
      assert.equal(refused.headers.has('idempotent-replayed'), isRepeated)
      assert.deepEqual(refused.headers.getSetCookie(), [])
    }
  })

  it('is refused to a page of a foreign origin', async () => {
    const [details, key] = [registration(), withKey()]
    assert.equal((await new Page(client, OWN).register(details, key)).status, 201)
    const foreign = await new Page(client, 'https://evil.example').register(details, key)
    assertProblem(foreign, 403, 'origin_not_allowed')
    assert.deepEqual(foreign.headers.getSetCookie(), [])
  })
})

const withKeyOf = ({ headers = {} }: ReturnType<typeof withKey>, suffix: string) =>
  withKey(`${headers['idempotency-key']}${suffix}`)

describe('the form of the cookie', () => {
  const PRODUCTION = {
    NODE_ENV: 'production',
    DATABASE_URL: 'postgres://localhost/x',
    MAIL_FROM: 'no-reply@example.com',
    SMTP_URL: 'smtp://localhost:1',
  }
  const LOCAL = ['Path=/', 'HttpOnly', 'SameSite=Strict']
  const forms: [settings: Record<string, string>, origin: string, name: string, attributes: string[]][] = [
    [{ NODE_ENV: 'development', APP_URL: 'http://localhost:3000' }, 'http://localhost:3000', NAME.slice(7), LOCAL],
    [{ NODE_ENV: 'development', APP_URL: 'http://127.0.0.1:3000/x' }, 'http://127.0.0.1:3000', NAME.slice(7), LOCAL],
    [{ NODE_ENV: 'development', APP_URL: 'https://localhost' }, 'https://localhost', NAME, SECURE],
    [{ NODE_ENV: 'development', APP_URL: 'http://host.example' }, 'http://host.example', NAME, SECURE],
    [{ ...PRODUCTION, APP_URL: 'https://app.example.com/portal' }, OWN, NAME, SECURE],
    [{ ...PRODUCTION, APP_URL: 'http://localhost:3000' }, 'http://localhost:3000', NAME, SECURE],
  ]

  for (const [settings, origin, name, attributes] of forms) {
    it(`follows from ${settings.NODE_ENV} at ${settings.APP_URL}, and from no header`, async () => {
      const app = await startTestApp(settings, service.db)
      try {
        for (const headers of [
          {},
          { 'x-forwarded-proto': 'https', forwarded: 'proto=https' },
          { 'x-forwarded-proto': 'http' },
        ]) {
          const page = new Page(app.client, origin)
          const set = cookieOf(await page.register(registration(), { headers }))
          assert.deepEqual([set.name, set.attributes], [name, attributes])
          const cleared = [await page.signOut({}, { headers }), await page.refresh({}, { headers })]
          for (const { headers } of cleared)
            assert.deepEqual(headers.getSetCookie().map(readSetCookie), [{ name, value: '', maxAge: 0, attributes }])
        }
      } finally {
        await app.close()
      }
    })
  }
})
