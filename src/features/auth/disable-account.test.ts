import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { addApp, confirmFactor } from '../../../test/support/factors.ts'
import { countHashes } from '../../../test/support/hashes.ts'
import { addMember, join } from '../../../test/support/members.ts'
import { OPERATOR } from '../../../test/support/operator.ts'
import { anyEmail, assertProblem, PASSWORD, type Person, signIn, signUp } from '../../../test/support/people.ts'
import { setPolicy } from '../../../test/support/policies.ts'
import { newId } from '../../lib/ids.ts'
import { disableAccount, enableAccount } from './disable-account.ts'
import { createAccount, findAccountDetails, findFormerHolder, removePasswords } from './operated-accounts.ts'

const service = await useTestApp()
const { client, mailbox } = service
const disable = (id: string, notifies = false) =>
  disableAccount(service.database, OPERATOR, id, { notifies, reason: 'abuse' })
const enable = async (id: string, notifies = false) =>
  (await enableAccount(service.database, OPERATOR, id, { notifies })).isChanged
const login = (email: string, password: string = PASSWORD) => client.post('/auth/login', { email, password })
const recordsOf = (id: string) =>
  service.db.query('select action, actor_id, actor_name, changes from audit_records where target_id = $1 order by id', [
    id,
  ])

describe('a disabled account', () => {
  it('signs in like one with a wrong password: same bytes, and as many hashes', async () => {
    const { id, email } = await signUp(client)
    const hashes = countHashes(service)
    const shown = async (password: string) => {
      const { status, headers, body } = await login(email, password)
      const names = [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name))
      return { status, names, body }
    }
    const wrong = [await shown('Wrong-horse-7'), hashes.take()]
    await disable(id)
    assert.deepEqual([await shown(PASSWORD), hashes.take()], wrong)
    hashes.restore()
  })

  it('counts its attempts like wrong passwords', async () => {
    const { id, email } = await signUp(client)
    await disable(id)
    await service.db.query('delete from known_networks where account_id = $1', [id])
    for (let tries = 1; tries <= 10; tries++) assertProblem(await login(email), 401, 'credentials_wrong')
    assertProblem(await login(email), 429, 'too_many_attempts')
  })

  it('loses all sessions at once, and their refresh tokens', async () => {
    const ann = await signUp(client)
    const second = await signIn(client, ann.email)
    const { endedSessions } = await disable(ann.id)
    assert.equal(endedSessions, 2)
    for (const { api, refreshToken } of [ann, second]) {
      assertProblem(await api.get('/auth/me'), 401, 'token_invalid')
      assertProblem(await api.get('/companies/users'), 401, 'token_invalid')
      assertProblem(await client.post('/auth/refresh', { refreshToken }), 401, 'refresh_token_invalid')
    }
  })

  it('has no use of a session that was not revoked', async () => {
    const ann = await signUp(client)
    await service.db.query('update accounts set disabled_at = now() where id = $1', [ann.id])
    for (const path of ['/auth/me', '/companies', '/companies/users'])
      assertProblem(await ann.api.get(path), 401, 'token_invalid')
    assertProblem(await ann.api.post('/companies', { name: 'New', taxId: '1' }), 401, 'token_invalid')
  })

  it('is left without a session by a sign-in that has verified the password before', async () => {
    const ann = await signUp(client)
    await service.db.query('begin')
    await service.db.query('select from accounts where id = $1 for no key update', [ann.id])
    const signingIn = login(ann.email)
    await service.db.waitForLock()
    const disabling = disable(ann.id)
    await service.db.query('commit')
    const [{ status }] = await Promise.all([signingIn, disabling])
    assert.ok([200, 401].includes(status))
    const live = await service.db.query('select from sessions where account_id = $1 and revoked_at is null', [ann.id])
    assert.deepEqual(live, [])
  })

  it('is left without a session by a node of version 0.2.0, which locks the password alone to create one', async () => {
    const { db } = service
    const ann = await signUp(client)
    await db.query('begin')
    await db.query('select from passwords where account_id = $1 for share', [ann.id])
    await db.query(
      `insert into sessions (id, account_id, must_change_password, refresh_id, credentials_version, refresh_expires_at, expires_at, ip)
       select $2, account_id, must_change_password, $2, credentials_version, refresh_expires_at, expires_at, ip
       from sessions where account_id = $1`,
      [ann.id, newId()],
    )
    const disabling = disable(ann.id)
    await db.waitForLock()
    await db.query('commit')
    assert.equal((await disabling).endedSessions, 2)
  })

  it('refuses a sign-in that waits for the account while the account is disabled', async () => {
    const ann = await signUp(client)
    await service.db.query('begin')
    await service.db.query('select from accounts where id = $1 for no key update', [ann.id])
    const signingIn = login(ann.email)
    await service.db.waitForLock()
    await service.db.query('update accounts set disabled_at = now() where id = $1', [ann.id])
    await service.db.query('commit')
    assertProblem(await signingIn, 401, 'credentials_wrong')
  })

  it('has no links: those from before are dead, and a request sends a notice instead, with the same answer', async () => {
    const ann = await signUp(client)
    await client.post('/auth/forgot-password', { email: ann.email })
    const token = await mailbox.token(ann.email, 'reset_password')
    const before = await client.post('/auth/forgot-password', { email: ann.email })
    await mailbox.collect()
    const links = (await mailbox.to(ann.email, 'reset_password')).length
    await disable(ann.id)
    assertProblem(
      await client.post('/auth/reset-password', { token, newPassword: 'Another-horse-8' }),
      400,
      'link_invalid',
    )
    for (const path of ['/auth/forgot-password', '/auth/verify-email/resend'])
      assert.equal((await client.post(path, { email: ann.email })).status, 200)
    const after = await client.post('/auth/forgot-password', { email: ann.email })
    assert.deepEqual([after.status, after.body], [before.status, before.body])
    assert.equal((await mailbox.to(ann.email, 'account_disabled')).length, 3)
    assert.equal((await mailbox.to(ann.email, 'reset_password')).length, links)
    assert.deepEqual(await service.db.query('select from one_time_links where account_id = $1', [ann.id]), [])
  })

  it('can be given back to its former address, and stays disabled', async () => {
    const ann = await signUp(client)
    const newEmail = anyEmail()
    await ann.api.put('/auth/profile', { email: newEmail })
    await client.post('/auth/verify-email', { token: await mailbox.token(newEmail, 'change_email') })
    await disable(ann.id)
    const token = await mailbox.token(ann.email, 'email_changed')
    assert.equal((await client.post('/auth/undo-email-change', { token })).status, 200)
    assert.equal((await mailbox.to(ann.email, 'account_disabled')).length, 1)
    assert.deepEqual(await mailbox.to(ann.email, 'email_restored'), [])
    await enable(ann.id)
    assert.ok(await mailbox.token(ann.email, 'password_removed'))
  })

  it('stays a member whom companies see as before, and keeps its address', async () => {
    const ann = await signUp(client)
    const bob = await join(ann, await signUp(client))
    const member = (await ann.api.get(`/companies/users/${bob.id}`)).body.data
    await disable(bob.id)
    assert.deepEqual((await ann.api.get(`/companies/users/${bob.id}`)).body.data, member)
    const other = await signUp(client)
    assert.equal((await other.api.post('/companies/users', { name: 'Bob', email: bob.email })).status, 201)
    const taken = { email: bob.email, password: PASSWORD, name: 'Bob', companyName: 'Any', taxId: '1' }
    assertProblem(await client.post('/auth/register', taken), 409, 'email_taken')
  })

  it('signs in again with its password once it is enabled; what was ended stays ended', async () => {
    const ann = await signUp(client)
    assert.deepEqual([(await disable(ann.id)).isChanged, (await disable(ann.id)).isChanged], [true, false])
    assert.deepEqual([await enable(ann.id), await enable(ann.id)], [true, false])
    assertProblem(await ann.api.get('/auth/me'), 401, 'token_invalid')
    assert.equal((await signIn(client, ann.email)).id, ann.id)
    const by = { actor_id: null, actor_name: 'Operator (Olga)' }
    assert.deepEqual(
      (await recordsOf(ann.id)).filter(({ actor_id }) => actor_id === null),
      [
        { ...by, action: 'accounts.disable', changes: { reason: { to: 'abuse' } } },
        { ...by, action: 'accounts.enable', changes: {} },
      ],
    )
  })

  it('is told by email, when the operator wants that', async () => {
    const ann = await signUp(client)
    await disable(ann.id, true)
    await enable(ann.id, true)
    for (const kind of ['account_disabled', 'account_enabled'] as const)
      assert.equal((await mailbox.to(ann.email, kind)).length, 1)
  })
})

describe('the companies of a disabled owner', () => {
  it('are named to the operator when no other owner is left', async () => {
    const ann = await signUp(client)
    const shared = await signUp(client)
    await join(shared, ann, ['Owner'])
    const { withoutOwner } = await disable(ann.id)
    assert.deepEqual(
      withoutOwner.map(({ id }) => id),
      [ann.company.id],
    )
    const again = await disable(shared.id)
    assert.deepEqual(
      again.withoutOwner.map(({ id }) => id),
      [shared.company.id],
    )
  })

  it('are named, too, when their policy lets no other owner in', async () => {
    const ann = await signUp(client)
    const bob = await join(ann, await signUp(client), ['Owner'])
    await addApp(service, ann)
    await setPolicy(service.db, ann.company.id, 'policy_factor_from = now()')
    const named = async () => (await disable(ann.id)).withoutOwner.map(({ id }) => id)
    assert.deepEqual([await named(), await named()], [[ann.company.id], [ann.company.id]])

    await confirmFactor(service.db, bob.id)
    assert.deepEqual(await named(), [])
  })

  it('keep their other owner, who does not get rid of the company while the disabled one is all that is left', async () => {
    const ann = await signUp(client)
    const bob = await join(ann, await signUp(client), ['Owner'])
    await disable(bob.id)
    assertProblem(await ann.api.post(`/companies/${ann.company.id}/leave`), 422, 'last_owner')
    assertProblem(await ann.api.patch(`/companies/users/${ann.id}`, { status: 'inactive' }), 422, 'last_owner')
    assert.equal((await ann.api.delete(`/companies/users/${bob.id}`)).status, 200)
  })

  it('are never left by both at the same time', async () => {
    const ann = await signUp(client)
    const bob = await join(ann, await signUp(client), ['Owner'])
    await service.db.query('begin')
    await service.db.query('select from companies where id = $1 for update', [ann.company.id])
    const leaving = bob.api.post(`/companies/${ann.company.id}/leave`)
    await service.db.waitForLock()
    const disabling = disable(ann.id)
    await service.db.query('commit')
    const [{ status }, { withoutOwner }] = await Promise.all([leaving, disabling])
    const isNamed = withoutOwner.some(({ id }) => id === ann.company.id)
    assert.ok(status === 200 ? isNamed : status === 422 && !isNamed, `${status} ${isNamed}`)
  })

  it('can’t keep it from being disabled by being busy, and lose its offers once it is repeated', async () => {
    const ann = await signUp(client)
    const bob = await join(ann, await signUp(client), ['Admin'])
    assert.equal(
      (await ann.api.post(`/companies/${ann.company.id}/ownership-transfer`, { userId: bob.id })).status,
      201,
    )
    await service.db.query('begin')
    await service.db.query('select from companies where id = $1 for no key update', [ann.company.id])
    await assert.rejects(disable(ann.id), { code: 'company_busy' })
    await service.db.query('commit')
    assertProblem(await ann.api.get('/auth/me'), 401, 'token_invalid')

    const { isChanged, withoutOwner } = await disable(ann.id)
    assert.deepEqual([isChanged, withoutOwner.map(({ id }) => id)], [false, [ann.company.id]])
    const offers = 'select from ownership_offers where company_id = $1'
    assert.deepEqual(await service.db.query(offers, [ann.company.id]), [])
  })

  it('take no offer back to life that came while it was being disabled', async () => {
    const ann = await signUp(client)
    const bob = await join(ann, await signUp(client), ['Admin'])
    const path = `/companies/${ann.company.id}/ownership-transfer`
    assert.equal((await ann.api.post(path, { userId: bob.id })).status, 201)
    await service.db.query('update accounts set disabled_at = now() where id = $1', [ann.id])
    await enable(ann.id)
    const accepted = await bob.api.post(`${path}/accept`, { currentPassword: PASSWORD })
    assertProblem(accepted, 404, 'transfer_not_found')
  })

  it('lose an ownership offer of the disabled owner, which does not come back', async () => {
    const ann = await signUp(client)
    const bob = await join(ann, await signUp(client), ['Admin'])
    const path = `/companies/${ann.company.id}/ownership-transfer`
    assert.equal((await ann.api.post(path, { userId: bob.id })).status, 201)
    await disable(ann.id)
    const accept = () => bob.api.post(`${path}/accept`, { currentPassword: PASSWORD })
    assertProblem(await accept(), 404, 'transfer_not_found')
    await enable(ann.id)
    assertProblem(await accept(), 404, 'transfer_not_found')
  })
})

describe('an account that an operator creates', () => {
  it('has no password until its owner follows the emailed link, which verifies the address', async () => {
    const email = anyEmail()
    const { id } = await createAccount(service.parts, OPERATOR, {
      email,
      name: 'New',
      locale: 'pt',
      company: undefined,
    })
    assertProblem(await login(email), 401, 'credentials_wrong')
    const token = await mailbox.token(email, 'account_created')
    await client.post('/auth/reset-password', { token, newPassword: PASSWORD })
    const { user, tenants } = (await login(email)).body.data
    assert.deepEqual([user.id, user.email_verified, tenants], [id, true, []])
    assert.deepEqual((await recordsOf(id))[0], {
      action: 'accounts.create',
      actor_id: null,
      actor_name: 'Operator (Olga)',
      changes: {},
    })
  })

  it('owns the company that is created with it, whose log names the operator', async () => {
    const email = anyEmail()
    const company = { name: `Of ${email}`, taxId: '1' }
    const { companyId } = await createAccount(service.parts, OPERATOR, { email, name: 'New', locale: '', company })
    const token = await mailbox.token(email, 'account_created')
    await client.post('/auth/reset-password', { token, newPassword: PASSWORD })
    const owner = await signIn(client, email)
    assert.equal(owner.company.id, companyId)
    const { data } = (await owner.api.get('/companies/audit?action=companies.create')).body
    assert.deepEqual(data[0].actor, { id: null, kind: 'operator', name: 'Operator (Olga)', email: '' })
  })

  it('is refused where an account has the address, and nothing is left behind', async () => {
    const ann = await signUp(client)
    const company = { name: `Of ${ann.email}`, taxId: '1' }
    const creating = createAccount(service.parts, OPERATOR, { email: ann.email, name: 'New', locale: '', company })
    await assert.rejects(creating, { constraint: 'accounts_email_key' })
    assert.deepEqual(await service.db.query('select from companies where name = $1', [company.name]), [])
  })
})

describe('an account whose passwords an operator removes', () => {
  it('is opened by nothing but the emailed link', async () => {
    const ann = await signUp(client)
    await ann.api.put('/auth/profile', { email: anyEmail() })
    const { endedSessions } = await removePasswords(service.parts, OPERATOR, ann.id, 'stolen')
    assert.equal(endedSessions, 1)
    assertProblem(await ann.api.get('/auth/me'), 401, 'token_invalid')
    assertProblem(await login(ann.email), 401, 'credentials_wrong')
    const token = await mailbox.token(ann.email, 'password_removed')
    await client.post('/auth/reset-password', { token, newPassword: 'Another-horse-8' })
    const { user } = (await login(ann.email, 'Another-horse-8')).body.data
    assert.equal(user.pending_email, undefined)
  })

  it('stays disabled, and gets its link when it is enabled: the former password never works again', async () => {
    const ann = await signUp(client)
    await disable(ann.id)
    assert.equal((await removePasswords(service.parts, OPERATOR, ann.id, undefined)).isLinkSent, false)
    assert.deepEqual(await service.db.query('select from one_time_links where account_id = $1', [ann.id]), [])
    assert.deepEqual(await mailbox.to(ann.email, 'password_removed'), [])
    await enable(ann.id)
    assertProblem(await login(ann.email), 401, 'credentials_wrong')
    const token = await mailbox.token(ann.email, 'password_removed')
    await client.post('/auth/reset-password', { token, newPassword: 'Another-horse-8' })
    assert.equal((await login(ann.email, 'Another-horse-8')).status, 200)
  })
})

describe('an account as operators find it', () => {
  const find = (key: string) => findAccountDetails(service.parts, key)

  it('is found by its id or address, with all its companies and what is left open', async () => {
    const ann: Person = await signUp(client)
    const bob = await join(ann, await signUp(client), ['Member', 'Admin'])
    await ann.api.patch(`/companies/users/${bob.id}`, { status: 'inactive' })
    const found = await find(bob.email.toUpperCase())
    assert.deepEqual(await find(bob.id), found)
    assert.deepEqual([found?.status, found?.sessions, found?.companies.length], ['active', 1, 2])
    const own = found?.companies.find(({ id }) => id === ann.company.id)
    assert.deepEqual([own?.membership, own?.roles], ['inactive', ['Admin', 'Member']])
    await disable(bob.id)
    const { status, sessions } = (await find(bob.id)) ?? {}
    assert.deepEqual([status, sessions], ['disabled', 0])
    assert.equal(await find((await addMember(ann)).id).then((one) => one?.mustChangePassword), true)
    assert.equal(await find('nowhere@example.com'), undefined)
  })

  it('shows the addresses that can take it back, by which it is only named', async () => {
    const ann = await signUp(client)
    const email = anyEmail()
    await ann.api.put('/auth/profile', { email })
    const token = await mailbox.token(email, 'change_email')
    assert.equal((await client.post('/auth/verify-email', { token })).status, 200)
    const found = await find(email)
    assert.deepEqual(
      found?.formerAddresses.map((former) => former.email),
      [ann.email],
    )
    assert.equal(await find(ann.email), undefined)
    assert.equal(await findFormerHolder(service.parts, ann.email), ann.id)
    assert.equal(await findFormerHolder(service.parts, email), undefined)
    await service.db.query(`update email_change_undos set expires_at = now() where account_id = $1`, [ann.id])
    assert.deepEqual((await find(ann.id))?.formerAddresses, [])
    assert.equal(await findFormerHolder(service.parts, ann.email), undefined)
  })
})
