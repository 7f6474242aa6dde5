import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ClientOptions, SessionState } from '@tenantry/client'
import { useTestApp } from '../../../test/support/app.ts'
import { link } from '../../../test/support/members.ts'
import { registration, signUp } from '../../../test/support/people.ts'
import { age, clientOf, isProblem, lost, refusing, sharedStorage, signedUp, unreachable, until } from './support.ts'

const service = await useTestApp()
const REFRESH = /^POST \/api\/auth\/refresh$/

const refusalsOf = async (accountId: string) =>
  (
    await service.db.query<{ action: string }>(
      `select action from audit_records where actor_id = $1 and outcome <> 'done'`,
      [accountId],
    )
  ).map(({ action }) => action)

describe('a session', () => {
  it('is unknown until it is restored, and then as it was', async () => {
    const { store, account } = await signedUp(service)
    const { tenantry, wire } = clientOf(service, { session: store })
    assert.deepEqual(tenantry.session.get(), { status: 'unknown' })
    const states = await Promise.all([tenantry.session.restore(), tenantry.session.restore()])
    assert.equal(states[0], states[1])
    assert.deepEqual(states[0].status === 'signed_in' && states[0].account, account)
    assert.deepEqual(wire.names, ['GET /api/auth/me'])
  })

  it('names the companies that have only added the account, until one of them is opened', async () => {
    const { tenantry, account } = await signedUp(service)
    const stranger = await signUp(service.client)
    await link(stranger, { ...stranger, id: account.id })
    const unopened = () => {
      const state = tenantry.session.get()
      return state.status === 'signed_in' && state.unopened
    }
    await tenantry.session.reload()
    assert.deepEqual(unopened(), [stranger.company.id])
    assert.equal((await tenantry.company(stranger.company.id).open()).id, stranger.company.id)
    assert.deepEqual(unopened(), [])
  })

  it('is none without tokens, and says so without asking the service', async () => {
    const { tenantry, wire } = clientOf(service)
    assert.deepEqual(await tenantry.session.restore(), { status: 'signed_out' })
    await assert.rejects(tenantry.account.me(), isProblem('signed_out'))
    assert.deepEqual(wire.names, [])
  })

  it('stays unknown while the service can’t be reached, and can be restored later', async () => {
    const { store } = await signedUp(service)
    const { tenantry, wire } = clientOf(service, { session: store })
    wire.fail(/./, unreachable, unreachable, unreachable, unreachable)
    await assert.rejects(tenantry.session.restore(), isProblem('network_error'))
    assert.deepEqual(tenantry.session.get(), { status: 'unknown' })
    assert.equal((await tenantry.session.restore()).status, 'signed_in')
  })

  it('refreshes its token before it expires, once for all calls', async () => {
    const { tenantry, wire, store } = await signedUp(service)
    await age(store, 900 - 20)
    await Promise.all([tenantry.account.me(), tenantry.account.me(), tenantry.companies.page()])
    assert.equal(wire.matching(REFRESH).length, 1)
    assert.equal(wire.names[0], 'POST /api/auth/refresh')
    await tenantry.account.me()
    assert.equal(wire.matching(REFRESH).length, 1)
  })

  it('refreshes when the service refuses the token, and sends the call again with its key', async () => {
    const { wire, company } = await signedUp(service)
    const name = `Site ${Math.random()}`
    wire.fail(/branches/, refusing(401, 'token_invalid'))
    await company.branches.create({ name })
    const [first, second] = wire.matching(/branches/)
    assert.equal(wire.matching(REFRESH).length, 1)
    assert.notEqual(first?.headers.get('authorization'), second?.headers.get('authorization'))
    assert.equal(first?.headers.get('idempotency-key'), second?.headers.get('idempotency-key'))
    assert.deepEqual((await company.branches.page({ search: name })).total, 1)
  })

  it('does so once', async () => {
    const { tenantry, wire } = await signedUp(service)
    wire.fail(/me$/, refusing(401, 'token_invalid'), refusing(401, 'token_invalid'))
    await assert.rejects(tenantry.account.me(), isProblem('token_invalid'))
    assert.equal(wire.matching(REFRESH).length, 1)
    assert.equal(tenantry.session.get().status, 'signed_in')
  })

  it('is over when it was ended elsewhere, and says so once', async () => {
    const ended: unknown[] = []
    const { tenantry, store, person } = await signedUp(service, { onSignedOut: (state) => ended.push(state) })
    const elsewhere = clientOf(service)
    await elsewhere.tenantry.signIn(person)
    await elsewhere.tenantry.account.sessions.endOthers()
    const calls = Array.from({ length: 5 }, () => tenantry.account.me())
    for (const outcome of await Promise.allSettled(calls))
      assert.ok(outcome.status === 'rejected' && isProblem('signed_out')(outcome.reason))
    assert.deepEqual(ended, [{ status: 'signed_out', reason: 'ended' }])
    assert.deepEqual(tenantry.session.get(), ended[0])
    assert.equal(await store.load(), undefined)
  })

  it('is not over because something else refuses the refresh', async () => {
    const { tenantry, wire, store } = await signedUp(service)
    await age(store)
    wire.fail(REFRESH, refusing(403, 'origin_not_allowed'), async () => new Response('<p>Password?', { status: 401 }))
    await assert.rejects(tenantry.account.me(), isProblem('origin_not_allowed'))
    await assert.rejects(tenantry.account.me(), isProblem('unexpected_response'))
    assert.equal(tenantry.session.get().status, 'signed_in')
    await tenantry.account.me()
  })

  it('survives a refresh whose answer is lost, also when the page is gone by then', async () => {
    const { tenantry, wire, store, account } = await signedUp(service)
    await age(store)
    wire.fail(REFRESH, lost)
    await tenantry.account.me()
    const [first, second] = wire.matching(REFRESH)
    assert.equal(first?.headers.get('idempotency-key'), second?.headers.get('idempotency-key'))

    await age(store)
    wire.fail(REFRESH, lost, lost, lost, lost)
    await assert.rejects(tenantry.account.me(), isProblem('network_error'))
    const reloaded = clientOf(service, { session: store })
    assert.equal((await reloaded.tenantry.session.restore()).status, 'signed_in')
    assert.deepEqual(await refusalsOf(account.id), [])
  })

  it('ends in the service when it signs out, and tokens are forgotten even if that can’t be reached', async () => {
    const first = await signedUp(service)
    const { accessToken } = (await first.store.load()) ?? assert.fail()
    await first.tenantry.signOut()
    assert.equal(await first.store.load(), undefined)
    assert.equal((await service.client.get('/auth/me', { token: accessToken })).status, 401)

    const second = await signedUp(service)
    second.wire.fail(/logout/, unreachable, unreachable, unreachable, unreachable)
    await second.tenantry.signOut()
    assert.equal(await second.store.load(), undefined)
    assert.deepEqual(second.tenantry.session.get(), { status: 'signed_out', reason: 'signed_out' })
  })

  it('with a temporary password demands another one, also after a reload, and then shows everything', async () => {
    const { company } = await signedUp(service)
    const email = registration().email
    const { id } = await company.members.add({ name: 'Yan', email })
    const { temporaryPassword } = await company.members.resetPassword(id)

    const yan = clientOf(service)
    const state = await yan.tenantry.signIn({ email, password: temporaryPassword })
    assert.ok(state.status === 'signed_in' && state.mustChangePassword && state.account?.email === email)
    const { tenantry: reloaded, wire } = clientOf(service, { session: yan.store })
    const restored = await reloaded.session.restore()
    assert.ok(restored.status === 'signed_in' && restored.mustChangePassword && restored.account === undefined)
    await assert.rejects(reloaded.companies.page(), isProblem('password_change_required'))

    const newPassword = 'Another-horse-8'
    await reloaded.account.changeTemporaryPassword({ currentPassword: temporaryPassword, newPassword })
    const changed = reloaded.session.get()
    assert.ok(changed.status === 'signed_in' && !changed.mustChangePassword)
    assert.equal(changed.account.email, email)
    // Other services refuse the token of a temporary password.
    assert.equal(wire.names.filter((name) => REFRESH.test(name)).length, 1)
  })

  it('has another token once a temporary password is replaced in any way, and the password is chosen also without one', async () => {
    const { company } = await signedUp(service)
    async function enter() {
      const email = registration().email
      const { id } = await company.members.add({ name: 'Yan', email })
      const { temporaryPassword } = await company.members.resetPassword(id)
      const yan = clientOf(service)
      await yan.tenantry.signIn({ email, password: temporaryPassword })
      return { email, yan, body: { currentPassword: temporaryPassword, newPassword: 'Another-horse-8' } }
    }
    const { yan, body } = await enter()
    await yan.tenantry.account.changePassword(body)
    assert.equal(yan.wire.matching(REFRESH).length, 1)

    const { yan: away, email, body: chosen } = await enter()
    away.wire.fail(/change-temporary-password/, async (request, forward) => {
      const answer = await forward(request)
      // So that the token has to be refreshed first.
      await age(away.store, 880)
      return answer
    })
    away.wire.fail(REFRESH, ...Array(4).fill(unreachable))
    await away.tenantry.account.changeTemporaryPassword(chosen)
    assert.equal((await service.client.post('/auth/login', { email, password: chosen.newPassword })).status, 200)
  })

  it('has ended for every tab once the password is changed because the account may be compromised', async () => {
    const { tenantry, wire, person } = await signedUp(service)
    const changed = await tenantry.account.changePassword({
      currentPassword: person.password,
      newPassword: 'Another-horse-8',
      compromised: true,
    })
    assert.deepEqual(changed, { signedOut: true })
    assert.deepEqual(tenantry.session.get(), { status: 'signed_out', reason: 'signed_out' })
    // There is nothing to exchange any more.
    assert.equal(wire.matching(REFRESH).length, 0)
  })

  it('shows permissions that have changed, as soon as an answer says so', async () => {
    const { company } = await signedUp(service)
    const email = registration().email
    const added = await company.members.add({ name: 'Yan', email })
    const { temporaryPassword } = await company.members.resetPassword(added.id)
    const yan = clientOf(service)
    await yan.tenantry.signIn({ email, password: temporaryPassword })
    await yan.tenantry.account.changeTemporaryPassword({
      currentPassword: temporaryPassword,
      newPassword: 'Another-horse-8',
    })
    const own = yan.tenantry.company(company.id)
    const { items: roles } = await company.roles.page()
    const give = (name: string) =>
      company.members.update(added.id, { roleIds: roles.filter((role) => role.name === name).map(({ id }) => id) })
    await give('Admin')
    const gained = until(yan.tenantry, () => own.can('users:create'))
    await own.members.page()
    await yan.tenantry.session.reload()
    await gained

    await give('Member')
    const changed = until(yan.tenantry, () => !own.can('users:create'))
    await assert.rejects(own.members.add({ name: 'X', email: 'x@example.com' }), isProblem('permission_missing'))
    await changed

    await company.members.remove(added.id)
    const gone = until(yan.tenantry, (state) => state.status === 'signed_in' && state.companies.length === 0)
    await assert.rejects(own.roles.page(), isProblem('not_a_member'))
    await gone
  })
})

describe('two tabs', () => {
  async function twoTabs(options: Partial<ClientOptions> = {}) {
    const tab = sharedStorage()
    const first = await signedUp(service, { session: tab() })
    const second = clientOf(service, { session: tab(), ...options })
    await second.tenantry.session.restore()
    second.wire.sent.length = 0
    return { first, second, account: first.account }
  }
  const closing = ({ first, second }: Awaited<ReturnType<typeof twoTabs>>) => {
    first.tenantry.close()
    second.tenantry.close()
  }

  it('that refresh at once make one exchange', async () => {
    const tabs = await twoTabs()
    const { first, second } = tabs
    await age(first.store)
    await Promise.all([first, second].flatMap(({ tenantry }) => [tenantry.account.me(), tenantry.companies.page()]))
    assert.equal([...first.wire.matching(REFRESH), ...second.wire.matching(REFRESH)].length, 1)
    closing(tabs)
  })

  it('use one key for one exchange where the browser has no locks', async () => {
    const { navigator } = globalThis
    Object.defineProperty(globalThis, 'navigator', { value: {}, configurable: true })
    const tabs = await twoTabs()
    Object.defineProperty(globalThis, 'navigator', { value: navigator, configurable: true })
    const { first, second } = tabs
    await age(first.store)
    await Promise.all([first.tenantry.account.me(), second.tenantry.account.me()])
    const keys = [first, second].map(({ wire }) => wire.matching(REFRESH)[0]?.headers.get('idempotency-key'))
    assert.ok(keys[0] && keys[0] === keys[1])
    assert.deepEqual(await refusalsOf(tabs.account.id), [])
    await first.tenantry.account.me()
    closing(tabs)
  })

  it('sign out together', async () => {
    const tabs = await twoTabs()
    const heard = until(tabs.second.tenantry, ({ status }) => status === 'signed_out')
    await tabs.first.tenantry.signOut()
    await heard
    assert.deepEqual(tabs.second.tenantry.session.get(), { status: 'signed_out', reason: 'signed_out' })
    closing(tabs)
  })

  it('sign in together, also as another account', async () => {
    const tabs = await twoTabs()
    const { first, second } = tabs
    const other = await signedUp(service)
    const heard = until(
      second.tenantry,
      (state) => state.status === 'signed_in' && state.account?.id === other.account.id,
    )
    await first.tenantry.signIn(other.person)
    await heard
    await first.tenantry.signOut()
    await until(second.tenantry, ({ status }) => status === 'signed_out')
    const again = until(second.tenantry, ({ status }) => status === 'signed_in')
    await first.tenantry.signIn(other.person)
    await again
    closing(tabs)
  })

  it('show nothing of one account while it can’t be read who has signed in since', async () => {
    const tabs = await twoTabs()
    const { first, second } = tabs
    const other = await signedUp(service)
    const unknown = until(second.tenantry, ({ status }) => status === 'unknown')
    second.wire.fail(/me$/, unreachable, unreachable, unreachable, unreachable)
    await first.tenantry.signIn(other.person)
    await unknown
    second.wire.heal()
    const state = await second.tenantry.session.restore()
    assert.equal(state.status === 'signed_in' && state.account?.id, other.account.id)
    closing(tabs)
  })

  it('never show a password as demanded of the account that was there before', async () => {
    const tabs = await twoTabs()
    const { first, second } = tabs
    const { company } = await signedUp(service)
    const email = registration().email
    const { id } = await company.members.add({ name: 'Yan', email })
    const { temporaryPassword } = await company.members.resetPassword(id)
    const demanded = until(second.tenantry, (state) => state.status === 'signed_in' && state.mustChangePassword)
    await first.tenantry.signIn({ email, password: temporaryPassword })
    await demanded
    const state = second.tenantry.session.get()
    assert.ok(state.status === 'signed_in' && state.account === undefined && state.companies.length === 0)
    closing(tabs)
  })

  it('never do as one account what was asked for as another', async () => {
    const tabs = await twoTabs()
    const { first, second } = tabs
    const other = await signedUp(service)
    second.tenantry.close() // It hears of nothing, like a tab that the browser has frozen.
    await first.tenantry.signIn(other.person)
    await assert.rejects(second.tenantry.companies.create({ name: 'Mine', taxId: 'M-1' }), isProblem('account_changed'))
    assert.deepEqual(second.wire.matching(/^POST/), [])
    await until(second.tenantry, (state) => state.status === 'signed_in' && state.account?.id === other.account.id)
    closing(tabs)
  })

  describe('never do so either when the other one signs in while the call waits', () => {
    type Tabs = Awaited<ReturnType<typeof twoTabs>>
    const signInElsewhere = async ({ first, second }: Tabs) => {
      const other = await signedUp(service)
      const isShown = (state: SessionState) => state.status === 'signed_in' && state.account?.id === other.account.id
      const shown = until(second.tenantry, isShown)
      await first.tenantry.signIn(other.person)
      await shown
    }
    const assertNotRepeated = async (tabs: Tabs) => {
      const created = tabs.second.tenantry.companies.create({ name: 'Mine', taxId: 'M-1' })
      await assert.rejects(created, isProblem('account_changed'))
      assert.equal(tabs.second.wire.matching(/^POST/).length, 1)
      closing(tabs)
    }

    it('for new tokens', async () => {
      const tabs = await twoTabs()
      tabs.second.wire.fail(/^POST/, async (request, forward) => {
        await signInElsewhere(tabs)
        return refusing(401, 'token_invalid')(request, forward)
      })
      await assertNotRepeated(tabs)
    })

    it('for a fresh proof', async () => {
      const tabs = await twoTabs({ onReauthentication: () => signInElsewhere(tabs).then(() => true) })
      tabs.second.wire.fail(/^POST/, refusing(403, 'reauthentication_required'))
      await assertNotRepeated(tabs)
    })
  })
})
