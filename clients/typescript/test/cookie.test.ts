import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { registration } from '../../../test/support/people.ts'
import { Browser, clientOf, isProblem, lost, refusing, unreachable, until } from './support.ts'

const ORIGIN = 'https://console.example.com'
const service = await useTestApp({ CORS_ORIGINS: ORIGIN })
const REFRESH = /^POST \/api\/auth\/refresh$/

const browsers: Browser[] = []
afterEach(() => browsers.splice(0).forEach((browser) => void browser.close()))
function open(origin = ORIGIN): Browser {
  const browser = new Browser(service, origin)
  browsers.push(browser)
  return browser
}

/** A browser with one tab in which a new account is signed in. */
async function signedUp(onSignedOut?: () => void) {
  const browser = open()
  const tab = browser.tab({ ...(onSignedOut && { onSignedOut }) })
  const person = registration()
  const state = await tab.tenantry.register(person)
  const account = state.status === 'signed_in' && state.account ? state.account : assert.fail()
  tab.wire.sent.length = 0
  return { browser, tab, person, account }
}

const refusalsOf = (accountId: string) =>
  service.db.query(`select action from audit_records where actor_id = $1 and outcome <> 'done'`, [accountId])

describe('a session in a cookie', () => {
  it('is restored by a reload, and its refresh token is nowhere that a script could read', async () => {
    const { browser, account } = await signedUp()
    const [token = ''] = browser.cookies.values()
    assert.ok(token.length > 100)
    assert.ok(![...browser.items.values()].join().includes(token.slice(-40)))

    const reloaded = browser.tab()
    const state = await reloaded.tenantry.session.restore()
    assert.deepEqual(state.status === 'signed_in' && state.account, account)
    assert.deepEqual(reloaded.wire.names, ['POST /api/auth/refresh', 'GET /api/auth/me'])
    assert.notEqual(browser.cookies.values().next().value, token)
  })

  it('is not asked for by a browser that has none', async () => {
    const { tenantry, wire } = open().tab()
    assert.deepEqual(await tenantry.session.restore(), { status: 'signed_out' })
    assert.deepEqual(wire.names, [])
  })

  it('survives a refresh whose answer is lost, also when the page is gone by then', async () => {
    const { browser, tab, account } = await signedUp()
    tab.wire.fail(/me$/, refusing(401, 'token_invalid'))
    tab.wire.fail(REFRESH, lost, lost, lost, lost)
    await assert.rejects(tab.tenantry.account.me(), isProblem('network_error'))
    const keys = new Set(tab.wire.matching(REFRESH).map(({ headers }) => headers.get('idempotency-key')))
    assert.equal(keys.size, 1)

    const reloaded = browser.tab()
    assert.equal((await reloaded.tenantry.session.restore()).status, 'signed_in')
    assert.ok(keys.has(reloaded.wire.matching(REFRESH)[0]?.headers.get('idempotency-key') ?? ''))
    await tab.tenantry.account.me()
    assert.deepEqual(await refusalsOf(account.id), [])
  })

  it('is ended by signing out, in the service and in the browser', async () => {
    const { browser, tab } = await signedUp()
    await tab.tenantry.signOut()
    assert.equal(browser.cookies.size, 0)
    const reloaded = browser.tab()
    assert.deepEqual(await reloaded.tenantry.session.restore(), { status: 'signed_out' })
    assert.deepEqual(reloaded.wire.names, [])
  })

  it('is not forgotten when signing out fails: the cookie is still there', async () => {
    const { browser, tab } = await signedUp()
    tab.wire.fail(/logout/, unreachable, unreachable, unreachable, unreachable)
    await assert.rejects(tab.tenantry.signOut(), isProblem('network_error'))
    assert.equal(tab.tenantry.session.get().status, 'signed_in')
    await tab.tenantry.signOut()
    assert.equal(browser.cookies.size, 0)
  })

  it('is over when it was ended elsewhere', async () => {
    let ends = 0
    const { browser, tab, person } = await signedUp(() => ends++)
    const elsewhere = clientOf(service)
    await elsewhere.tenantry.signIn(person)
    await elsewhere.tenantry.account.sessions.endOthers()
    await assert.rejects(tab.tenantry.account.me(), isProblem('signed_out'))
    assert.deepEqual(tab.tenantry.session.get(), { status: 'signed_out', reason: 'ended' })
    assert.deepEqual([ends, browser.cookies.size], [1, 0])
  })

  it('is refused to a page of another origin, which is no end of it', async () => {
    const { browser, account } = await signedUp()
    const foreign = open('https://evil.example')
    for (const [name, value] of browser.cookies) foreign.cookies.set(name, value)
    for (const [name, value] of browser.items) foreign.items.set(name, value)
    const { tenantry } = foreign.tab()
    await assert.rejects(tenantry.session.restore(), isProblem('origin_not_allowed'))
    assert.deepEqual(tenantry.session.get(), { status: 'unknown' })
    const state = await browser.tab().tenantry.session.restore()
    assert.ok(state.status === 'signed_in' && state.account?.id === account.id)
  })
})

describe('two tabs with one cookie', () => {
  async function twoTabs() {
    const { browser, tab: first, account } = await signedUp()
    const second = browser.tab()
    await second.tenantry.session.restore()
    return { first, second, account }
  }

  it('that refresh at once make one exchange', async () => {
    const { first, second, account } = await twoTabs()
    second.wire.sent.length = 0
    for (const { wire } of [first, second]) wire.fail(/me$/, refusing(401, 'token_invalid'))
    await Promise.all([first.tenantry.account.me(), second.tenantry.account.me()])
    assert.equal([first, second].flatMap(({ wire }) => wire.matching(REFRESH)).length, 1)
    for (const { tenantry } of [first, second]) await tenantry.companies.page()
    assert.deepEqual(await refusalsOf(account.id), [])
  })

  it('sign out together, and in again', async () => {
    const { first, second } = await twoTabs()
    const out = until(second.tenantry, ({ status }) => status === 'signed_out')
    await first.tenantry.signOut()
    await out
    const other = registration()
    const shown = until(
      second.tenantry,
      (state) => state.status === 'signed_in' && state.account?.email === other.email,
    )
    await first.tenantry.register(other)
    await shown
    assert.ok((await second.tenantry.companies.page()).items.some(({ name }) => name === other.companyName))
  })

  it('never do as one account what was asked for as another', async () => {
    const { first, second } = await twoTabs()
    second.tenantry.close() // It hears of nothing, like a tab that the browser has frozen.
    await first.tenantry.register(registration())
    second.wire.fail(/companies/, refusing(401, 'token_invalid'))
    second.wire.sent.length = 0
    await assert.rejects(second.tenantry.companies.create({ name: 'Mine', taxId: 'M-1' }), isProblem('account_changed'))
    assert.equal(second.wire.matching(/companies/).length, 1)
  })
})
