import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { startTestApp, type TestApp, useTestApp } from '../../../test/support/app.ts'
import { addApp, ageProofs } from '../../../test/support/factors.ts'
import { addManagedMember, addMember, join, link, recoverAccount, rolesOf } from '../../../test/support/members.ts'
import { anyEmail, assertProblem, PASSWORD, type Person, signIn, signUp } from '../../../test/support/people.ts'
import { setPolicy } from '../../../test/support/policies.ts'
import { asAccount } from '../../database/scopes.ts'
import { remindOfSecondFactors } from '../companies/policy/reminders.ts'

const users = '/companies/users'

const service = await useTestApp()

/** The membership as stored. */
async function membership(app: TestApp, { company }: Person, { id }: { id: string }) {
  const [row] = await app.db.query<{ opened: boolean; awaits_verification: boolean }>(
    `select opened_at is not null as opened, awaits_verification from memberships where company_id = $1 and account_id = $2`,
    [company.id, id],
  )
  return row
}

describe('a company that an account has not opened', () => {
  it('is opened by the first request to any route that passes the membership check', async () => {
    const ann = await signUp(service.client)
    const requests: Record<string, (person: Person) => Promise<{ status: number }>> = {
      'a read': ({ api }) => api.get(users),
      'the company itself': ({ api }) => api.get(`/companies/${ann.company.id}`),
    }
    for (const [name, send] of Object.entries(requests)) {
      const bob = await link(ann, await signUp(service.client))
      await bob.api.get('/auth/me')
      await bob.api.get('/companies')
      assert.deepEqual(await membership(service, ann, bob), { opened: false, awaits_verification: false }, name)
      await send(bob)
      assert.deepEqual(await membership(service, ann, bob), { opened: true, awaits_verification: false }, name)
    }
  })

  it('is opened by no request that is refused for a permission, and learns nothing of it', async () => {
    const ann = await signUp(service.client)
    const bob = await link(ann, await signUp(service.client))
    assertProblem(await bob.api.post(users, { name: 'A', email: anyEmail() }), 403, 'permission_missing')
    assertProblem(await bob.api.delete(`${users}/${bob.id}`), 403, 'permission_missing')
    const transfer = `/companies/${ann.company.id}/ownership-transfer`
    assertProblem(await bob.api.post(transfer, { userId: ann.id }), 403, 'owner_only')
    assertProblem(await bob.api.delete(transfer), 403, 'owner_only')
    assert.deepEqual(await membership(service, ann, bob), { opened: false, awaits_verification: false })
    const records = await service.db.query('select from audit_records where company_id = $1 and actor_id = $2', [
      ann.company.id,
      bob.id,
    ])
    assert.equal(records.length, 0)
  })

  it('is named as such to its account at sign-in and afterwards, until it is opened', async () => {
    const [ann, bob] = [await signUp(service.client), await signUp(service.client)]
    const inside = await link(ann, bob)
    const signedIn = await service.client.post('/auth/login', { email: bob.email, password: PASSWORD })
    const me = async () => (await bob.api.get('/auth/me')).body.data
    for (const context of [signedIn.body.data, await me()]) {
      assert.deepEqual(context.unopenedCompanies, [ann.company.id])
      assert.equal(context.companyAccess[ann.company.id], 'open')
    }
    await inside.api.get(users)
    assert.deepEqual((await me()).unopenedCompanies, [])
    const managed = await addManagedMember(service, ann)
    assert.deepEqual((await managed.api.get('/auth/me')).body.data.unopenedCompanies, [ann.company.id])
  })

  it('is counted once after twenty parallel first requests', async () => {
    const ann = await signUp(service.client)
    const bob = await link(ann, await signUp(service.client))
    const answers = await Promise.all(Array.from({ length: 20 }, () => bob.api.get(users)))
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
    const [row] = await service.db.query('select opened_companies from accounts where id = $1', [bob.id])
    assert.equal(row?.opened_companies, 2)
  })

  it('sees only name and email of the account, and its own contact fields', async () => {
    const ann = await signUp(service.client)
    const bob = await signUp(service.client)
    const profile = { phone: 'own', position: 'Own', avatar_url: 'https://example.com/bob.png' }
    await bob.api.put('/auth/profile', profile)
    const inside = await link(ann, bob)
    await ann.api.patch(`${users}/${bob.id}`, { position: 'Clerk' })
    const seen = async () => (await ann.api.get(`${users}/${bob.id}`)).body.data
    const unopened = await seen()
    assert.deepEqual([unopened.name, unopened.email], [bob.name, bob.email])
    assert.deepEqual([unopened.phone, unopened.position, unopened.avatar_url], ['', 'Clerk', null])

    await inside.api.get(users)
    const opened = await seen()
    assert.deepEqual([opened.phone, opened.position, opened.avatar_url], ['own', 'Clerk', profile.avatar_url])
  })

  it('is listed after the opened ones at sign-in, at most the 20 newest, with their roles and permissions', async () => {
    const bob = await signUp(service.client)
    const strangers: Person[] = []
    for (let i = 0; i < 22; i++) {
      const stranger = await signUp(service.client)
      await link(stranger, bob)
      strangers.push(stranger)
    }
    const opened = strangers[21] as Person
    await bob.api.with({ company: opened.company.id }).get(users)
    const { tenants, companyPermissions, companyRoles } = (await bob.api.get('/auth/me')).body.data
    const ids = tenants.map(({ id }: { id: string }) => id)
    // The oldest of the remaining 21 is not listed.
    const newest = strangers.slice(1, 21).map(({ company }) => company.id)
    assert.deepEqual(ids, [bob.company.id, opened.company.id, ...newest])
    assert.deepEqual(Object.keys(companyPermissions).sort(), [...ids].sort())
    assert.deepEqual(Object.keys(companyRoles).sort(), [...ids].sort())
    assert.equal((await bob.api.get('/companies?limit=100')).body.total, 23)
  })

  it('does not affect what the account finds in its searches', async () => {
    const [bob, eve] = [await signUp(service.client), await signUp(service.client)]
    const word = `Word${eve.id.slice(-8)}`
    for (let i = 0; i < 20; i++) await addMember(eve, { name: `A ${word} ${i}` })
    const known = await addMember(bob, { name: `Z ${word}` })
    const inside = await link(eve, bob, ['Admin'])
    const search = async () =>
      (await bob.api.get(`${users}/search?q=${word}`)).body.data.map(({ id }: { id: string }) => id)
    assert.equal((await search()).length, 20)
    assert.equal((await search())[0], known.id)
    await inside.api.get(users)
    assert.equal((await search()).includes(known.id), false, 'by name, once both companies are open')
  })

  it('can be left by inactive and by unverified members, too', async () => {
    const ann = await signUp(service.client)
    const [bob, carl, dora] = [await signUp(service.client), await signUp(service.client), await signUp(service.client)]
    for (const person of [bob, carl, dora]) await link(ann, person, ['Owner'])
    await ann.api.patch(`${users}/${carl.id}`, { status: 'inactive' })
    await service.db.query(
      'update memberships set awaits_verification = true where account_id = $1 and company_id = $2',
      [dora.id, ann.company.id],
    )
    for (const person of [bob, carl, dora]) {
      assert.equal((await person.api.post(`/companies/${ann.company.id}/leave`)).status, 200)
      assert.equal(await membership(service, ann, person), undefined)
      assertProblem(await person.api.post(`/companies/${ann.company.id}/leave`), 404, 'company_not_found')
    }
    const left = (await ann.api.get('/companies/audit?action=users.leave')).body.data
    assert.equal(left.length, 3)
    for (const { ip, user_agent, via } of left) assert.deepEqual([ip, user_agent, via], [null, '', null])
    assert.equal((await ann.api.get(users)).body.total, 1)
    const [row] = await service.db.query('select opened_companies from accounts where id = $1', [bob.id])
    assert.equal(row?.opened_companies, 1, 'leaving does not open the company')
  })

  it('is left without the proof that an account with a second factor gives once it has opened it', async () => {
    const ann = await signUp(service.client)
    const bob = await link(ann, await signUp(service.client), ['Owner'])
    await addApp(service, bob)
    await ageProofs(service, bob)
    const leave = () => bob.api.post(`/companies/${ann.company.id}/leave`)
    assert.equal((await leave()).status, 200)
    await link(ann, bob)
    await bob.api.get(users)
    assertProblem(await leave(), 403, 'reauthentication_required')
  })

  it('is left by a fresh session of an account with a second factor', async () => {
    const ann = await signUp(service.client)
    const bob = await join(ann, await signUp(service.client), ['Admin'])
    const app = await addApp(service, bob)
    await ageProofs(service, bob)
    const leave = () => bob.api.post(`/companies/${ann.company.id}/leave`)
    const inside = bob.api.with({ company: ann.company.id })
    for (const way of [leave, () => inside.delete(`${users}/${bob.id}`)])
      assertProblem(await way(), 403, 'reauthentication_required')
    assert.equal((await bob.api.post('/auth/step-up', { code: await app.unusedCode() })).status, 200)
    assert.equal((await leave()).status, 200)
  })

  it('is not opened again for an account that was detached and added again', async () => {
    const ann = await signUp(service.client)
    const bob = await join(ann, await signUp(service.client))
    await ann.api.delete(`${users}/${bob.id}`)
    await link(ann, bob)
    assert.equal((await membership(service, ann, bob))?.opened, false)
  })
})

describe('an owner who has not opened the company', () => {
  it('does not count: the only other owner cannot leave, or be demoted, deactivated or detached', async () => {
    const ann = await signUp(service.client)
    const roles = await rolesOf(ann)
    const bob = await link(ann, await signUp(service.client), ['Owner'])
    await addMember(ann, { roles: ['Owner'] })
    const attempts = [
      () => ann.api.delete(`${users}/${ann.id}`),
      () => ann.api.post(`/companies/${ann.company.id}/leave`),
      () => ann.api.patch(`${users}/${ann.id}`, { roleIds: [roles.Admin] }),
      () => ann.api.patch(`${users}/${ann.id}`, { status: 'inactive' }),
    ]
    for (const attempt of attempts) assertProblem(await attempt(), 422, 'last_owner')
    await assert.rejects(
      service.db.query('delete from memberships where company_id = $1 and account_id = $2', [ann.company.id, ann.id]),
      /without an Owner/,
    )
    await bob.api.get(users)
    assert.equal((await ann.api.delete(`${users}/${ann.id}`)).status, 200)
  })

  it('can be detached and deactivated, gets no notice of a deletion, and cannot restore the company', async () => {
    const ann = await signUp(service.client)
    const [bob, carl] = [await signUp(service.client), await signUp(service.client)]
    for (const person of [bob, carl]) await link(ann, person, ['Owner'])
    assert.equal((await ann.api.patch(`${users}/${carl.id}`, { status: 'inactive' })).status, 200)
    assert.equal((await ann.api.delete(`${users}/${carl.id}`)).status, 200)
    await ann.api.delete(`/companies/${ann.company.id}`)
    assert.equal((await service.mailbox.to(ann.email, 'company_deleted')).length, 1)
    assert.equal((await service.mailbox.to(bob.email, 'company_deleted')).length, 0)
    assertProblem(await bob.api.post(`/companies/${ann.company.id}/restore`), 404, 'company_not_found')
    assert.equal((await bob.api.get('/companies?status=deleted')).body.total, 0)
    assert.equal((await ann.api.post(`/companies/${ann.company.id}/restore`)).status, 200)
  })

  it('counts after accepting an ownership offer', async () => {
    const ann = await signUp(service.client)
    const bob = await link(ann, await signUp(service.client))
    assert.equal(
      (await ann.api.post(`/companies/${ann.company.id}/ownership-transfer`, { userId: bob.id })).status,
      201,
    )
    const accepted = await bob.api.post(`/companies/${ann.company.id}/ownership-transfer/accept`, {
      currentPassword: PASSWORD,
    })
    assert.equal(accepted.status, 200)
    assert.equal((await membership(service, ann, bob))?.opened, true)
    assert.equal((await ann.api.post(`/companies/${ann.company.id}/leave`)).status, 200)
  })
})

describe('a managed account that another company links', () => {
  it('can be reset by the managing company until it opens the other company', async () => {
    const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
    const bob = await addManagedMember(service, ann)
    await link(eve, bob)
    await eve.api.patch(`${users}/${bob.id}`, { status: 'inactive' })
    const managed = async () => (await ann.api.get(`${users}?search=${bob.email}`)).body.data[0].managed
    assert.equal(await managed(), true)
    assert.equal((await ann.api.post(`${users}/${bob.id}/reset-password`)).status, 200)

    await eve.api.patch(`${users}/${bob.id}`, { status: 'active' })
    const { api } = await recoverAccount(service, bob)
    for (const { company } of [ann, eve]) assert.equal((await api.get(`/companies/${company.id}`)).status, 200)
    assert.equal(await managed(), false)
    assertProblem(await ann.api.post(`${users}/${bob.id}/reset-password`), 403, 'account_not_managed')
    await eve.api.delete(`${users}/${bob.id}`)
    assert.equal(await managed(), true)
  })

  it('is reset in the managing company only, also by an owner of both', async () => {
    const ann = await signUp(service.client)
    const bob = await addManagedMember(service, ann)
    const second = (await ann.api.post('/companies', { name: `Second ${ann.id}`, taxId: 'T' })).body.data
    const elsewhere = { ...ann, company: second, api: ann.api.with({ company: second.id }) }
    await link(elsewhere, bob)
    assertProblem(await elsewhere.api.post(`${users}/${bob.id}/reset-password`), 403, 'account_not_managed')
    assert.equal((await ann.api.post(`${users}/${bob.id}/reset-password`)).status, 200)
  })

  it('is neither shown as managed nor reset in the other company', async () => {
    const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
    const bob = await addManagedMember(service, ann)
    await link(eve, bob)
    const [seen] = (await eve.api.get(`${users}?search=${bob.email}`)).body.data
    assert.deepEqual([seen.managed, seen.must_change_password], [false, false])
    assertProblem(await eve.api.post(`${users}/${bob.id}/reset-password`), 403, 'account_not_managed')
  })
})

describe('a password that an administrator was shown', () => {
  for (const order of ['before', 'after']) {
    it(`opens no company that linked the account ${order} it was shown, until an emailed secret verifies the address`, async () => {
      const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
      const bob = await addManagedMember(service, ann)
      assert.equal(
        (await bob.api.get('/auth/me')).body.data.user.email_verified,
        true,
        'verified by the emailed password',
      )
      if (order === 'before') await link(eve, bob, ['Owner'])
      const { body } = await ann.api.post(`${users}/${bob.id}/reset-password`)
      if (order === 'after') await link(eve, bob, ['Owner'])

      const currentPassword = body.data.temporaryPassword
      const intruder = await signIn(service.client, bob.email, currentPassword)
      const change = { currentPassword, newPassword: 'Intruder-77' }
      assert.equal((await intruder.api.post('/auth/change-temporary-password', change)).status, 200)
      const inside = intruder.api.with({ company: eve.company.id })
      for (const path of [users, '/companies/roles', '/companies/audit'])
        assertProblem(await inside.get(path), 403, 'not_a_member')
      assertProblem(await inside.post(users, { name: 'A', email: anyEmail() }), 403, 'not_a_member')
      assertProblem(await intruder.api.get(`/companies/${eve.company.id}`), 404, 'company_not_found')
      const me = (await intruder.api.get('/auth/me')).body.data
      assert.deepEqual(
        me.tenants.map(({ id }: { id: string }) => id),
        [ann.company.id],
        'the company that manages the account is open',
      )
      assert.equal(me.user.email_verified, false)

      const owner = await recoverAccount(service, bob)
      assertProblem(await inside.get(users), 401, 'token_invalid')
      assert.equal((await owner.api.with({ company: eve.company.id }).get(users)).status, 200)
    })
  }

  it('keeps memberships that the account had opened before', async () => {
    const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
    const bob = await addManagedMember(service, ann)
    await join(eve, bob)
    await join(eve, ann, ['Admin'])
    const { body } = await ann.api.post(`${users}/${bob.id}/reset-password`)
    assert.deepEqual(await membership(service, eve, bob), { opened: true, awaits_verification: false })
    assert.equal(
      (await service.client.post('/auth/login', { email: bob.email, password: body.data.temporaryPassword })).status,
      200,
    )
  })

  it('prevents opening when it is shown between the membership check and the opening', async () => {
    const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
    const bob = await addManagedMember(service, ann)
    const inside = (await link(eve, bob)).api
    await service.db.query('begin')
    await service.db.query('select from accounts where id = $1 for update', [bob.id])
    const reading = inside.get(users)
    await service.db.waitForLock()
    await service.db.query('update accounts set password_shown_at = now(), email_verified_at = null where id = $1', [
      bob.id,
    ])
    await service.db.query('commit')
    assertProblem(await reading, 403, 'not_a_member')
    assert.deepEqual(await membership(service, eve, bob), { opened: false, awaits_verification: true })
  })
})

describe('a company that the account has to open anew', () => {
  /** Opened by who was shown a password, before its reader chose one by a link. */
  async function reopen() {
    const ann = await signUp(service.client)
    const bob = await addMember(ann)
    const { temporaryPassword } = (await ann.api.post(`${users}/${bob.id}/reset-password`)).body.data
    const { api } = await signIn(service.client, bob.email, temporaryPassword)
    const change = { currentPassword: temporaryPassword, newPassword: 'Another-horse-8' }
    await api.post('/auth/change-temporary-password', change)
    const inside = await signIn(service.client, bob.email, change.newPassword)
    await inside.api.get(`/companies/${ann.company.id}`)
    await service.client.post('/auth/forgot-password', { email: bob.email })
    return { ann, bob, inside, token: await service.mailbox.token(bob.email, 'reset_password') }
  }
  const reset = (token: string) => service.client.post('/auth/reset-password', { token, newPassword: PASSWORD })

  it('learns not from where it is left, which needs no fresh proof, and reminds no one of a factor', async () => {
    const { ann, bob, token } = await reopen()
    await reset(token)
    const reader = await signIn(service.client, bob.email)
    await addApp(service, reader)
    await ageProofs(service, reader, 60)
    await setPolicy(
      service.db,
      ann.company.id,
      `policy_factor_from = now() + interval '3 days', policy_remind_at = now(), policy_factor_roles = null`,
    )
    const { emailLimits } = service.parts.config
    const { signal } = new AbortController()
    await remindOfSecondFactors(service.database, { emailLimits, signal, onFailure: (error) => assert.fail(error) })
    assert.equal((await service.mailbox.to(bob.email, 'second_factor_due')).length, 0)

    assert.equal((await reader.api.post(`/companies/${ann.company.id}/leave`)).status, 200)
    const records = await service.db.query(
      `select ip, user_agent from audit_records where company_id = $1 and actor_id = $2 and action = 'users.leave'`,
      [ann.company.id, bob.id],
    )
    assert.deepEqual(records, [{ ip: null, user_agent: '' }])
  })

  it('counts the factor of its owner where another one leaves', async () => {
    const { ann, bob, token } = await reopen()
    const { Owner } = await rolesOf(ann)
    await addApp(service, ann)
    assert.equal((await ann.api.patch(`${users}/${bob.id}`, { roleIds: [Owner] })).status, 200)
    await reset(token)
    await addApp(service, await signIn(service.client, bob.email))
    await setPolicy(service.db, ann.company.id, `policy_factor_from = now(), policy_factor_roles = null`)
    assert.equal((await ann.api.post(`/companies/${ann.company.id}/leave`)).status, 200)
  })

  it('is not opened by a request of a session that the reset ends meanwhile', async () => {
    const { ann, bob, inside, token } = await reopen()
    await service.db.query(`update memberships set opened_at = null where account_id = $1`, [bob.id])
    await service.db.query('begin')
    await service.db.query('select from memberships where account_id = $1 for update', [bob.id])
    const resetting = reset(token)
    await service.db.waitForLock()
    const reading = inside.api.get(`/companies/${ann.company.id}`)
    await service.db.waitForLock(2)
    await service.db.query('commit')
    assert.equal((await resetting).status, 200)
    assertProblem(await reading, 401, 'token_invalid')
    assert.equal((await membership(service, ann, bob))?.opened, false)
    assertProblem(await ann.api.post(`${users}/${bob.id}/reset-password`), 403, 'account_not_managed')
  })

  it('is not opened by a node of the version before within seconds after the reset', async () => {
    const { ann, bob, token } = await reopen()
    await reset(token)
    await service.db.query(`update memberships set opened_at = null where account_id = $1`, [bob.id])
    const open = () =>
      sql`
        with opened as materialized (select open_company(${ann.company.id}) as opened)
        select opened from opened`.execute(service.database.autocommit(asAccount(bob.id)))
    assert.deepEqual((await open()).rows, [{ opened: false }])
    await service.db.query(`update accounts set reset_by_link_at = now() - interval '11 seconds' where id = $1`, [
      bob.id,
    ])
    assert.deepEqual((await open()).rows, [{ opened: true }])
  })
})

describe('a membership that awaits verification', () => {
  let strict: TestApp
  before(async () => {
    strict = await startTestApp({ REQUIRE_VERIFIED_EMAIL: 'true' })
  })
  after(() => strict.close())

  /** Registers an address and requests a change to another one, with the token that verifies the other one. */
  async function squat(email = anyEmail()) {
    const squatter = await signUp(strict.client, { email })
    const own = anyEmail()
    await squatter.api.put('/auth/profile', { email: own })
    return { squatter, own, proof: await strict.mailbox.token(own, 'change_email') }
  }

  it('tells its person how to open it, and not to sign in as usual', async () => {
    const [ann, bob] = [await signUp(strict.client), await signUp(strict.client)]
    await ann.api.post(users, { name: 'Bob', email: bob.email })
    const [added] = await strict.mailbox.to(bob.email, 'added_to_company')
    assert.match(
      added?.text ?? '',
      /who added you: this address has not been verified\. To open it, first reset the password with the link below/,
    )
    assert.doesNotMatch(added?.text ?? '', /as usual/)
    const owner = await recoverAccount(strict, bob)
    assert.equal((await owner.api.with({ company: ann.company.id }).get(users)).status, 200)
  })

  it('ends when another address is verified, with an audit record and an email to the member who added it', async () => {
    const ann = await signUp(strict.client, { companyName: `Target ${anyEmail()}` })
    const { squatter, own, proof } = await squat()
    await ann.api.post(users, { name: 'CFO', email: squatter.email, roleIds: [(await rolesOf(ann)).Admin] })
    const inside = squatter.api.with({ company: ann.company.id })
    assertProblem(await inside.get(users), 403, 'not_a_member')

    assert.equal((await strict.client.post('/auth/verify-email', { token: proof })).status, 200)
    const me = (await inside.get('/auth/me')).body.data
    assert.deepEqual([me.user.email, me.user.email_verified, me.tenants.length], [own, true, 1])
    assertProblem(await inside.get(users), 403, 'not_a_member')
    assert.equal(await membership(strict, ann, squatter), undefined)
    assert.equal((await ann.api.get(users)).body.total, 1)

    const [sent] = await strict.mailbox.to(ann.email, 'unverified_membership_ended')
    assert.ok(sent?.text.includes(squatter.email) && !sent.text.includes(own))
    const [record] = (await ann.api.get('/companies/audit?action=users.end_unverified')).body.data
    assert.deepEqual(
      [record.actor.id, record.target.id, record.target.label, record.ip, record.user_agent],
      [squatter.id, squatter.id, squatter.email, null, ''],
    )
    assert.equal((await ann.api.get('/companies/audit/verify')).body.data.valid, true)
    // The address is free again for its owner.
    assert.equal((await ann.api.post(users, { name: 'CFO', email: squatter.email })).body.data.isNewUser, true)
  })

  it('ends with an email to the owners when the member who added it has left, also in a deleted company', async () => {
    const [ann, eve] = [await signUp(strict.client), await signUp(strict.client)]
    const bob = await signUp(strict.client)
    await strict.client.post('/auth/verify-email', { token: await strict.mailbox.token(bob.email, 'confirm_email') })
    const admin = await join(ann, bob, ['Admin'])
    const { squatter, proof } = await squat()
    await admin.api.post(users, { name: 'CFO', email: squatter.email })
    await eve.api.post(users, { name: 'CFO', email: squatter.email })
    await admin.api.post(`/companies/${ann.company.id}/leave`)
    await eve.api.delete(`/companies/${eve.company.id}`)
    assert.equal((await strict.client.post('/auth/verify-email', { token: proof })).status, 200)
    assert.equal((await strict.mailbox.to(ann.email, 'unverified_membership_ended')).length, 1)
    assert.equal((await strict.mailbox.to(bob.email, 'unverified_membership_ended')).length, 0)
    assert.equal((await strict.mailbox.to(eve.email, 'unverified_membership_ended')).length, 0)
    assert.equal(await membership(strict, eve, squatter), undefined)
    assert.equal((await eve.api.post(`/companies/${eve.company.id}/restore`)).status, 200)
    assert.equal((await eve.api.get(users)).body.total, 1)
  })

  it('ends also when it is created in parallel to the change of address', async () => {
    const ann = await signUp(strict.client)
    const { squatter, proof } = await squat()
    await strict.db.query('begin')
    await strict.db.query('select from accounts where id = $1 for update', [squatter.id])
    const proving = strict.client.post('/auth/verify-email', { token: proof })
    await strict.db.waitForLock()
    // As by a transaction that began before the verification.
    await strict.db.query(
      `insert into memberships (company_id, account_id, awaits_verification) values ($1, $2, true)`,
      [ann.company.id, squatter.id],
    )
    await strict.db.query(
      `insert into membership_roles (company_id, account_id, role_id)
       select company_id, $2, id from roles where company_id = $1 and system_key = 'admin'`,
      [ann.company.id, squatter.id],
    )
    await strict.db.query('update company_counters set active_members = active_members + 1 where company_id = $1', [
      ann.company.id,
    ])
    await strict.db.query('commit')
    assert.equal((await proving).status, 200)
    assert.equal(await membership(strict, ann, squatter), undefined)
    assertProblem(await squatter.api.with({ company: ann.company.id }).get(users), 403, 'not_a_member')
  })

  it('is not created for an account whose address changes in parallel', async () => {
    const [ann, bob] = [await signUp(strict.client), await signUp(strict.client)]
    const former = bob.email
    await strict.db.query('begin')
    await strict.db.query('update accounts set email = $2, email_verified_at = now() where id = $1', [
      bob.id,
      anyEmail(),
    ])
    const adding = ann.api.post(users, { name: 'B', email: former })
    await strict.db.waitForLock()
    await strict.db.query('commit')
    assertProblem(await adding, 503, 'overloaded')
    assert.equal(await membership(strict, ann, bob), undefined)
    assert.equal((await ann.api.post(users, { name: 'B', email: former })).body.data.isNewUser, true)
  })
})
