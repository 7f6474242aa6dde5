import assert from 'node:assert/strict'
import { it } from 'node:test'
import { changeAddress } from '../../../test/support/addresses.ts'
import { useTestApp } from '../../../test/support/app.ts'
import { addApp, confirmFactor } from '../../../test/support/factors.ts'
import { accept, invitationToken, invite } from '../../../test/support/invitations.ts'
import {
  addManagedMember,
  addMember,
  createRole,
  emailedPassword,
  join,
  link,
  recoverAccount,
  rolesOf,
} from '../../../test/support/members.ts'
import { OPERATOR } from '../../../test/support/operator.ts'
import { anyEmail, assertProblem, PASSWORD, type Person, signIn, signUp } from '../../../test/support/people.ts'
import { setPolicy } from '../../../test/support/policies.ts'
import type { CompanyActor } from '../../access/actors.ts'
import { inCompany } from '../../database/scopes.ts'
import { newId } from '../../lib/ids.ts'
import { disableAccount, enableAccount } from '../auth/disable-account.ts'
import { removePasswords } from '../auth/operated-accounts.ts'
import { listAuthorities } from './reset-authority.ts'

const service = await useTestApp()

const users = '/companies/users'
const login = (email: string, password: string) => service.client.post('/auth/login', { email, password })

it('shows a new temporary password of a managed account, sends no email, and revokes its sessions', async () => {
  const ann = await signUp(service.client)
  const bob = await addManagedMember(service, ann)
  const emails = (await service.mailbox.to(bob.email)).length
  const { status, body } = await ann.api.post(`${users}/${bob.id}/reset-password`)
  assert.equal(status, 200)
  assert.deepEqual(Object.keys(body.data), ['temporaryPassword'])
  assert.match(body.data.temporaryPassword, /^(?=.*[A-Z])(?=.*[a-z])(?=.*\d)[^0Oo1lIi5S2Z\W]{16}$/)

  assertProblem(await bob.api.get('/auth/me'), 401, 'token_invalid')
  assertProblem(await login(bob.email, PASSWORD), 401, 'credentials_wrong')
  assert.equal((await login(bob.email, body.data.temporaryPassword)).body.data.user.must_change_password, true)
  assert.equal((await service.mailbox.to(bob.email)).length, emails)
  const again = await ann.api.post(`${users}/${bob.id}/reset-password`)
  assertProblem(await login(bob.email, body.data.temporaryPassword), 401, 'credentials_wrong')
  assert.equal((await login(bob.email, again.body.data.temporaryPassword)).status, 200)
})

it('replaces the password of a managed account by email', async () => {
  const ann = await signUp(service.client)
  const bob = await addManagedMember(service, ann)
  assert.equal((await ann.api.post(`${users}/${bob.id}/reset-password-email`)).status, 200)
  assertProblem(await login(bob.email, PASSWORD), 401, 'credentials_wrong')
  assert.equal((await login(bob.email, await emailedPassword(service, bob.email))).status, 200)
})

it('says whether the password was replaced, also of an account that other companies use', async () => {
  const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
  const [bob, carl] = [await addManagedMember(service, ann), await addManagedMember(service, ann)]
  // Ann is in the second company of Bob, and not in that of Carl.
  const second = (await ann.api.post('/companies', { name: 'Second', taxId: newId() })).body.data
  await join({ ...ann, company: second, api: ann.api.with({ company: second.id }) }, bob)
  await join(eve, carl)
  for (const [{ id, email }, replaced] of [
    [bob, true],
    [carl, false],
  ] as const) {
    assert.equal((await ann.api.get(`${users}/${id}`)).body.data.managed, false)
    const answer = await ann.api.post(`${users}/${id}/reset-password-email`)
    assert.deepEqual(answer.body.data, { emailed: true, replaced })
    const [message] = await service.mailbox.to(email, 'password_reset')
    assert.match(message?.text ?? '', replaced ? /replaces your previous password/ : /current password still works/)
    assert.equal((await login(email, PASSWORD)).status, replaced ? 401 : 200)
  }
})

it('tells who has no password that there is no other one', async () => {
  const ann = await signUp(service.client)
  const bob = await join(ann, await signUp(service.client))
  await removePasswords(service, OPERATOR, bob.id, undefined)
  for (const _ of ['once', 'again']) {
    const answer = await ann.api.post(`${users}/${bob.id}/reset-password-email`)
    assert.deepEqual(answer.body.data, { emailed: true, replaced: false })
    const message = (await service.mailbox.to(bob.email, 'password_reset')).at(-1)
    assert.match(message?.text ?? '', /has no other password/)
    assert.doesNotMatch(message?.text ?? '', /still works/)
  }
})

it('emails a temporary password to the address that the account has at that moment', async () => {
  const ann = await signUp(service.client)
  const bob = await addManagedMember(service, ann)
  const newEmail = anyEmail()
  await service.db.query('begin')
  await service.db.query('update accounts set email = $2 where id = $1', [bob.id, newEmail])

  const answer = ann.api.post(`${users}/${bob.id}/reset-password-email`)
  await service.db.waitForLock()
  await service.db.query('commit')

  assert.deepEqual((await answer).body.data, { emailed: true, replaced: true })
  assert.deepEqual(await service.mailbox.to(bob.email, 'password_reset'), [])
  assert.equal((await login(newEmail, await emailedPassword(service, newEmail))).status, 200)
})

it('never replaces the password of an account that the company has only linked', async () => {
  const [ann, victim] = [await signUp(service.client), await signUp(service.client)]
  await join(ann, victim)
  assertProblem(await ann.api.post(`${users}/${victim.id}/reset-password`), 403, 'account_not_managed')
  assert.equal((await victim.api.get('/auth/me')).status, 200)
  await signIn(service.client, victim.email)

  // By email the account gets a second password; its own password and sessions stay valid.
  assert.equal((await ann.api.post(`${users}/${victim.id}/reset-password-email`)).status, 200)
  assert.equal((await victim.api.get('/auth/me')).body.data.user.must_change_password, false)
  const listed = (await ann.api.get(`${users}?search=${victim.email}`)).body.data[0]
  assert.equal(listed.must_change_password, false)
  const second = await emailedPassword(service, victim.email)
  const held = await signIn(service.client, victim.email, second)
  assertProblem(await held.api.get('/auth/me'), 403, 'password_change_required')
  await signIn(service.client, victim.email, PASSWORD)
  assertProblem(await login(victim.email, second), 401, 'credentials_wrong')
})

for (const isOpened of [false, true])
  it(`holds no account whose reader chooses a password by a link and has not opened the company since: ${isOpened}`, async () => {
    const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
    const bob = await addMember(eve)
    const path = `${users}/${bob.id}`
    const isManaged = async () => (await eve.api.get(path)).body.data.managed
    const invited = await invitationToken(service, await invite(ann, { email: bob.email, roles: ['Admin'] }))
    await service.client.post('/auth/forgot-password', { email: bob.email })
    const token = await service.mailbox.token(bob.email, 'reset_password')
    const { temporaryPassword } = (await eve.api.post(`${path}/reset-password`)).body.data
    if (isOpened) {
      // Who was shown the password opens it.
      const shown = await signIn(service.client, bob.email, temporaryPassword)
      const change = { currentPassword: temporaryPassword, newPassword: 'Another-horse-8' }
      assert.equal((await shown.api.post('/auth/change-temporary-password', change)).status, 200)
      assert.equal((await shown.api.get(`/companies/${eve.company.id}`)).status, 200)
    }
    assert.equal((await service.client.post('/auth/reset-password', { token, newPassword: PASSWORD })).status, 200)
    const reader = await signIn(service.client, bob.email)
    for (const way of ['reset-password', 'reset-second-factor'])
      assertProblem(await eve.api.post(`${path}/${way}`), 403, 'account_not_managed')
    assert.deepEqual((await eve.api.post(`${path}/reset-password-email`)).body.data, { emailed: true, replaced: false })
    assert.equal(await isManaged(), false)
    assert.equal((await accept(reader, invited)).status, 200)
    assert.equal((await reader.api.post(`/companies/${eve.company.id}/leave`)).status, 200)

    // It is the company's again once the account opens it.
    const carl = await addMember(ann)
    await recoverAccount(service, carl)
    const member = (await signIn(service.client, carl.email)).api.with({ company: ann.company.id })
    assertProblem(await ann.api.post(`${users}/${carl.id}/reset-password`), 403, 'account_not_managed')
    assert.equal((await member.get(`/companies/${ann.company.id}`)).status, 200)
    assert.equal((await ann.api.post(`${users}/${carl.id}/reset-password`)).status, 200)
  })

it('manages an employee again once the company that was opened before a reset by link is opened anew', async () => {
  const ann = await signUp(service.client)
  const bob = await addMember(ann)
  const path = `${users}/${bob.id}`
  const { temporaryPassword } = (await ann.api.post(`${path}/reset-password`)).body.data
  const first = await signIn(service.client, bob.email, temporaryPassword)
  const change = { currentPassword: temporaryPassword, newPassword: PASSWORD }
  assert.equal((await first.api.post('/auth/change-temporary-password', change)).status, 200)
  assert.equal((await first.api.get(`/companies/${ann.company.id}`)).status, 200)
  await recoverAccount(service, bob)

  const { api } = await signIn(service.client, bob.email)
  const unopened = async () => (await api.get('/auth/me')).body.data.unopenedCompanies
  assert.deepEqual([await unopened(), (await ann.api.get(path)).body.data.managed], [[ann.company.id], false])
  assertProblem(await ann.api.post(`${path}/reset-password`), 403, 'account_not_managed')
  assert.equal((await api.put('/auth/profile', { phone: '+34 600', position: 'Surgeon' })).status, 200)
  await confirmFactor(service.db, bob.id)
  const { phone, position, second_factor } = (await ann.api.get(path)).body.data
  assert.deepEqual([phone, position, second_factor], ['', '', false])
  assert.equal((await api.get(users, { company: ann.company.id })).status, 200)
  assert.equal((await ann.api.get(path)).body.data.position, 'Surgeon')
  assert.deepEqual([await unopened(), (await ann.api.get(path)).body.data.managed], [[], true])
  assert.equal((await ann.api.post(`${path}/reset-password`)).status, 200)
})

it('is held no more after a reset by link where the company was never opened, also of a verified address', async () => {
  const eve = await signUp(service.client)
  const bob = await addMember(eve)
  const temporaryPassword = await emailedPassword(service, bob.email)
  const { api } = await signIn(service.client, bob.email, temporaryPassword)
  const change = { currentPassword: temporaryPassword, newPassword: 'Another-horse-8' }
  assert.equal((await api.post('/auth/change-temporary-password', change)).status, 200)
  assert.equal((await eve.api.get(`${users}/${bob.id}`)).body.data.managed, true)
  await recoverAccount(service, bob)
  assertProblem(await eve.api.post(`${users}/${bob.id}/reset-password`), 403, 'account_not_managed')
})

it('is held no more, and asked about, where who was shown a password opened it before the emailed one was used', async () => {
  const eve = await signUp(service.client)
  const bob = await addMember(eve)
  const path = `${users}/${bob.id}`
  const choose = async (temporaryPassword: string, newPassword: string) => {
    const person = await signIn(service.client, bob.email, temporaryPassword)
    const change = { currentPassword: temporaryPassword, newPassword }
    assert.equal((await person.api.post('/auth/change-temporary-password', change)).status, 200)
    return person
  }
  const { temporaryPassword } = (await eve.api.post(`${path}/reset-password`)).body.data
  const shown = await choose(temporaryPassword, 'Another-horse-8')
  assert.equal((await shown.api.get(`/companies/${eve.company.id}`)).status, 200)
  assert.equal((await eve.api.post(`${path}/reset-password-email`)).body.data.replaced, true)

  const reader = await choose(await emailedPassword(service, bob.email), PASSWORD)
  assert.deepEqual((await reader.api.get('/auth/me')).body.data.unopenedCompanies, [eve.company.id])
  assertProblem(await eve.api.post(`${path}/reset-password`), 403, 'account_not_managed')
  assert.equal((await eve.api.post(`${path}/reset-password-email`)).body.data.replaced, false)
  await signIn(service.client, bob.email)
})

it('is held no more where who was shown a password had the reader confirm the address by a change there and back', async () => {
  const eve = await signUp(service.client)
  const bob = await addMember(eve)
  const path = `${users}/${bob.id}`
  const { temporaryPassword } = (await eve.api.post(`${path}/reset-password`)).body.data
  const { api } = await signIn(service.client, bob.email, temporaryPassword)
  const change = { currentPassword: temporaryPassword, newPassword: 'Another-horse-8' }
  assert.equal((await api.post('/auth/change-temporary-password', change)).status, 200)
  const inside = await signIn(service.client, bob.email, change.newPassword)
  assert.equal((await inside.api.get(`/companies/${eve.company.id}`)).status, 200)
  for (const email of [anyEmail(), bob.email]) await changeAddress(service, inside, email)

  await recoverAccount(service, bob)
  const reader = await signIn(service.client, bob.email)
  assert.deepEqual((await reader.api.get('/auth/me')).body.data.unopenedCompanies, [eve.company.id])
  assert.equal((await eve.api.post(`${path}/reset-password-email`)).body.data.replaced, false)
  await signIn(service.client, bob.email)
})

it('is held no more after a reset by link of who says that someone else used the account', async () => {
  const eve = await signUp(service.client)
  const bob = await addManagedMember(service, eve)
  const path = `${users}/${bob.id}`
  assert.equal((await bob.api.get(users, { company: eve.company.id })).status, 200)
  for (const [compromised, managed] of [
    [false, true],
    [true, false],
  ]) {
    await service.client.post('/auth/forgot-password', { email: bob.email })
    const token = await service.mailbox.token(bob.email, 'reset_password')
    const reset = { token, newPassword: PASSWORD, compromised }
    assert.equal((await service.client.post('/auth/reset-password', reset)).status, 200)
    assert.equal((await eve.api.get(path)).body.data.managed, managed)
  }
})

it('leaves the reader of the mailbox a link for a new password, however often it is emailed', async () => {
  const eve = await signUp(service.client)
  const bob = await addMember(eve)
  await service.client.post('/auth/forgot-password', { email: bob.email })
  const token = await service.mailbox.token(bob.email, 'reset_password')
  for (let round = 0; round < 3; round++) {
    const { status, body } = await eve.api.post(`${users}/${bob.id}/reset-password-email`)
    assert.deepEqual([status, body.data.replaced], [200, true])
  }
  assert.equal((await service.client.post('/auth/reset-password', { token, newPassword: PASSWORD })).status, 200)
  await signIn(service.client, bob.email)
  assert.equal((await eve.api.post(`${users}/${bob.id}/reset-password-email`)).body.data.replaced, false)
})

it('is refused when the account has opened another company in which the actor lacks permissions', async () => {
  const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
  const bob = await addManagedMember(service, ann)
  await join(eve, bob)
  assertProblem(await ann.api.post(`${users}/${bob.id}/reset-password`), 403, 'account_not_managed')
  // Neither users:read nor users:update on members with fewer permissions is enough there.
  await join(eve, ann, ['Member'])
  assertProblem(await ann.api.post(`${users}/${bob.id}/reset-password`), 403, 'account_not_managed')
  const roles = await rolesOf(eve)
  await eve.api.patch(`${users}/${ann.id}`, { roleIds: [roles.Manager] })
  assert.equal((await ann.api.post(`${users}/${bob.id}/reset-password`)).status, 200)
  await eve.api.patch(`${users}/${bob.id}`, { roleIds: [roles.Admin], status: 'inactive' })
  assertProblem(await ann.api.post(`${users}/${bob.id}/reset-password`), 403, 'account_not_managed')
})

it('is not affected by another company that links the account', async () => {
  const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
  const bob = await addManagedMember(service, ann)
  await join(eve, bob)
  assert.equal((await eve.api.post(`${users}/${bob.id}/reset-password-email`)).status, 200)
  assert.equal((await bob.api.get('/auth/me')).status, 200)
  await signIn(service.client, bob.email, PASSWORD)
})

it('refuses the own account, which needs the current password', async () => {
  const ann = await signUp(service.client)
  const { email } = await addMember(ann, { roles: ['Admin'] })
  const temporary = await emailedPassword(service, email)
  const held = await signIn(service.client, email, temporary)
  await held.api.post('/auth/change-temporary-password', { currentPassword: temporary, newPassword: PASSWORD })
  const bob = await signIn(service.client, email)
  assertProblem(await bob.api.post(`${users}/${bob.id}/reset-password`), 403, 'account_not_managed')
  assert.equal((await bob.api.post(`${users}/${bob.id}/reset-password-email`)).status, 200)
  await signIn(service.client, bob.email, PASSWORD)
})

it('does not manage an account again after detaching and linking it', async () => {
  const ann = await signUp(service.client)
  const bob = await addManagedMember(service, ann)
  await ann.api.delete(`${users}/${bob.id}`)
  await join(ann, bob)
  assertProblem(await ann.api.post(`${users}/${bob.id}/reset-password`), 403, 'account_not_managed')
})

it('counts a restorable company among those of the account', async () => {
  const ann = await signUp(service.client)
  const bob = await addManagedMember(service, ann)
  const own = await bob.api.post('/companies', { name: `Own ${bob.id}`, taxId: '1' })
  await service.db.query('update companies set deleted_at = now() where id = $1', [own.body.data.id])
  assertProblem(await ann.api.post(`${users}/${bob.id}/reset-password`), 403, 'account_not_managed')
})

it('ends the management of an account when it is detached', async () => {
  const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
  const bob = await addManagedMember(service, ann)
  await join(eve, bob)
  await ann.api.delete(`${users}/${bob.id}`)
  assertProblem(await ann.api.post(`${users}/${bob.id}/reset-password`), 404, 'member_not_found')
  assertProblem(await eve.api.post(`${users}/${bob.id}/reset-password`), 403, 'account_not_managed')
})

it('refuses targets with more permissions than the actor', async () => {
  const ann = await signUp(service.client)
  const manager = await join(ann, await signUp(service.client), ['Manager'])
  const admin = await addMember(ann, { roles: ['Admin'] })
  assertProblem(await manager.api.post(`${users}/${admin.id}/reset-password`), 403, 'target_exceeds_permissions')
  assertProblem(await manager.api.post(`${users}/${admin.id}/reset-password-email`), 403, 'target_exceeds_permissions')
})

it('writes no password to audit log, log or outbox', async () => {
  const ann = await signUp(service.client)
  const bob = await addManagedMember(service, ann)
  const { temporaryPassword } = (await ann.api.post(`${users}/${bob.id}/reset-password`)).body.data
  await ann.api.post(`${users}/${bob.id}/reset-password-email`)
  const mailed = await emailedPassword(service, bob.email)
  const rows = await service.db.query(
    `select to_jsonb(a)::text as text from audit_records a union all select to_jsonb(l)::text from emails l`,
  )
  const everything = rows.map(({ text }) => text).join('') + service.logged.join('')
  for (const secret of [temporaryPassword, mailed]) assert.equal(everything.includes(secret), false)
})

it('refuses an emailed temporary password after its lifetime', async () => {
  const ann = await signUp(service.client)
  const { email } = await addMember(ann)
  const password = await emailedPassword(service, email)
  await service.db.query(
    `update passwords set expires_at = expires_at - interval '72 hours' where secret_id is not null`,
  )
  assertProblem(await login(email, password), 401, 'credentials_wrong')
})

it('shows a password that works no more once the account of who saw it was recovered from an intruder', async () => {
  const ann = await signUp(service.client)
  const eve = await join(ann, await signUp(service.client), ['Admin'])
  const [bob, carl] = [await addManagedMember(service, ann), await addManagedMember(service, ann)]
  const shownTo = async (by: Person, { id }: Person): Promise<string> =>
    (await by.api.post(`${users}/${id}/reset-password`)).body.data.temporaryPassword
  const [unused, currentPassword] = [await shownTo(eve, bob), await shownTo(eve, carl)]
  const held = await signIn(service.client, carl.email, currentPassword)

  await removePasswords(service, OPERATOR, eve.id, undefined)
  assertProblem(await login(bob.email, unused), 401, 'credentials_wrong')
  const change = { currentPassword, newPassword: 'Carls-horse-88' }
  assertProblem(await held.api.post('/auth/change-temporary-password', change), 422, 'current_password_wrong')

  assert.equal((await login(bob.email, await shownTo(ann, bob))).status, 200)
  assert.equal((await ann.api.post(`${users}/${carl.id}/reset-password-email`)).status, 200)
  assert.equal((await login(carl.email, await emailedPassword(service, carl.email))).status, 200)
})

it('shows a password that does not work while the account of who saw it is disabled', async () => {
  const ann = await signUp(service.client)
  const eve = await join(ann, await signUp(service.client), ['Admin'])
  const bob = await addManagedMember(service, ann)
  const { temporaryPassword } = (await eve.api.post(`${users}/${bob.id}/reset-password`)).body.data
  await disableAccount(service.database, OPERATOR, eve.id, { notifies: false })
  assertProblem(await login(bob.email, temporaryPassword), 401, 'credentials_wrong')
  await enableAccount(service.database, OPERATOR, eve.id, { notifies: false })
  assert.equal((await login(bob.email, temporaryPassword)).status, 200)
})

it('shows a password that works only while who saw it could set it', async () => {
  const ann = await signUp(service.client)
  const roles = await rolesOf(ann)
  await createRole(ann, 'Clerk', ['users:read', 'users:update'])
  await createRole(ann, 'Recruiter', ['users:read', 'users:create'])
  const eve = await join(ann, await signUp(service.client), ['Admin'])
  const bob = await addManagedMember(service, ann)
  const { Clerk = '', Recruiter = '' } = await rolesOf(ann)
  const { temporaryPassword } = (await eve.api.post(`${users}/${bob.id}/reset-password`)).body.data
  const setRoles = async ({ id }: Person, ...roleIds: (string | undefined)[]) =>
    assert.equal((await ann.api.patch(`${users}/${id}`, { roleIds })).status, 200)
  const isAccepted = async () => (await login(bob.email, temporaryPassword)).status === 200
  await setRoles(eve, roles.Member)
  assert.equal(await isAccepted(), false)
  await setRoles(eve, roles.Member, Recruiter)
  assert.equal(await isAccepted(), false)
  await setRoles(eve, roles.Member, Clerk)
  assert.equal(await isAccepted(), true)
  await setRoles(bob, roles.Admin)
  assert.equal(await isAccepted(), false)
  await setRoles(eve, roles.Admin)
  assert.equal(await isAccepted(), true)
  await setRoles(bob, roles.Owner)
  assert.equal(await isAccepted(), false)
  await setRoles(bob, roles.Member)
  assert.equal((await ann.api.delete(`${users}/${eve.id}`)).status, 200)
  await join(ann, eve, ['Admin'])
  assert.equal(await isAccepted(), false)
})

it('shows a password that opens no other company of the account where who saw it could not set it', async () => {
  const [ann, quinn] = [await signUp(service.client), await signUp(service.client)]
  const eve = await join(ann, await signUp(service.client), ['Admin'])
  const inOther = await join(quinn, eve, ['Admin'])
  const bob = await addManagedMember(service, ann)
  await join(quinn, bob)
  const { Admin, Member, Owner } = await rolesOf(quinn)
  const change = async ({ id }: Person, body: object) =>
    assert.equal((await quinn.api.patch(`${users}/${id}`, body)).status, 200)
  const { temporaryPassword } = (await eve.api.post(`${users}/${bob.id}/reset-password`)).body.data
  const [record] = (await quinn.api.get('/companies/audit?action=users.reset_password')).body.data
  assert.deepEqual([record.actor.id, record.target.id], [eve.id, bob.id])
  const isAccepted = async () => (await login(bob.email, temporaryPassword)).status === 200
  assert.equal(await isAccepted(), true)
  for (const [body, back] of [
    [{ roleIds: [Member] }, { roleIds: [Admin] }],
    [{ status: 'inactive' }, { status: 'active' }],
  ] as const) {
    await change(inOther, body)
    assert.equal(await isAccepted(), false)
    await change(inOther, back)
    assert.equal(await isAccepted(), true)
  }
  for (const { id } of [ann.company, quinn.company]) {
    const suspend = (at: string) => service.db.query(`update companies set suspended_at = ${at} where id = $1`, [id])
    await suspend('now()')
    assert.equal(await isAccepted(), false)
    await suspend('null')
    assert.equal(await isAccepted(), true)
  }
  await change(bob, { roleIds: [Owner] })
  assert.equal(await isAccepted(), false)
  await change(bob, { roleIds: [Member] })
  assert.equal((await quinn.api.delete(`${users}/${eve.id}`)).status, 200)
  assert.equal(await isAccepted(), false)
})

it('shows a password that works where who saw it has the second factor that another company asks for, also one not opened yet', async () => {
  const [ann, quinn] = [await signUp(service.client), await signUp(service.client)]
  const bob = await addManagedMember(service, ann)
  await bob.api.get(`/companies/${ann.company.id}`)
  const eve = await join(ann, await signUp(service.client), ['Admin'])
  await join(quinn, bob)
  await link(quinn, eve, ['Admin'])
  await addApp(service, eve)
  await setPolicy(service.db, quinn.company.id, 'policy_factor_from = now()')
  const { temporaryPassword } = (await eve.api.post(`${users}/${bob.id}/reset-password`)).body.data
  assert.equal((await login(bob.email, temporaryPassword)).status, 200)
})

it('shows no password of an account that has opened more companies than can be looked at in a moment', async () => {
  const ann = await signUp(service.client)
  const bob = await addManagedMember(service, ann)
  const openMore = async (count: number) => {
    await service.db.query('set session_replication_role = replica')
    await service.db.query(
      `with made as (
         insert into companies (id, name, name_folded, slug, tax_id)
         select gen_random_uuid(), name, name, name, 'T' from generate_series(1, $3::integer) n, concat('shared-', n, '-', $1::text) name
         returning id),
       owner_roles as (
         insert into roles (company_id, id, name, name_folded, permissions, system_key)
         select id, gen_random_uuid(), 'Owner', 'owner', '{users:update}', 'owner' from made returning company_id, id),
       joined as (
         insert into memberships (company_id, account_id, opened_at, name, name_folded, email, search, created_at)
         select made.id, account, now(), '', '', '', '', now() - interval '1 hour' from made, unnest($2::uuid[]) account)
       insert into membership_roles (company_id, account_id, role_id) select company_id, $1::uuid, id from owner_roles`,
      [ann.id, [ann.id, bob.id], count],
    )
    await service.db.query('set session_replication_role = origin')
  }
  const reset = () => ann.api.post(`${users}/${bob.id}/reset-password`)
  await openMore(49)
  const shown = await reset()
  assert.equal(shown.status, 200)
  const isAccepted = async () => (await login(bob.email, shown.body.data.temporaryPassword)).status === 200
  assert.equal(await isAccepted(), true)
  const copies = await service.db.query(
    `select count(distinct company_id)::int as companies, bool_and(ip is not null and via_id is not null) as are_seen from audit_records
     where action = 'users.reset_password' and actor_id = $1 and target_id = $2`,
    [ann.id, bob.id],
  )
  assert.deepEqual(copies, [{ companies: 50, are_seen: true }])
  await service.db.query(
    `update companies set slug = slug || '-before', name = name || '-before' where name like 'shared-%'`,
  )
  await openMore(1)
  assertProblem(await reset(), 403, 'account_not_managed')
  assert.equal(await isAccepted(), false)
  // A node of 0.2.0 counts no rows, and judges by what they say.
  const rows = await service.database.write(inCompany(ann.company.id, ann.id), (tx) =>
    listAuthorities(tx, { sessionId: ann.sessionId, ip: '127.0.0.1' } as CompanyActor, bob.id),
  )
  assert.ok(rows.length > 50 && rows.every(({ own_permissions, own_is_owner }) => !own_permissions && !own_is_owner))
  assert.equal((await ann.api.post(`${users}/${bob.id}/reset-password-email`)).status, 200)
})

it('shows a password that does not work while who saw it is no active member of the company', async () => {
  const ann = await signUp(service.client)
  const eve = await join(ann, await signUp(service.client), ['Admin'])
  const bob = await addManagedMember(service, ann)
  const { temporaryPassword } = (await eve.api.post(`${users}/${bob.id}/reset-password`)).body.data
  const setStatus = (status: string) => ann.api.patch(`${users}/${eve.id}`, { status })
  assert.equal((await setStatus('inactive')).status, 200)
  assertProblem(await login(bob.email, temporaryPassword), 401, 'credentials_wrong')
  assert.equal((await setStatus('active')).status, 200)
  assert.equal((await login(bob.email, temporaryPassword)).status, 200)
  assert.equal((await ann.api.delete(`${users}/${eve.id}`)).status, 200)
  assertProblem(await login(bob.email, temporaryPassword), 401, 'credentials_wrong')
})

it('shows a password that does not work once no company manages the account', async () => {
  const ann = await signUp(service.client)
  const bob = await addManagedMember(service, ann)
  const { temporaryPassword } = (await ann.api.post(`${users}/${bob.id}/reset-password`)).body.data
  assert.equal((await login(bob.email, temporaryPassword)).status, 200)
  assert.equal((await ann.api.delete(`/companies/${ann.company.id}`)).status, 200)
  assertProblem(await login(bob.email, temporaryPassword), 401, 'credentials_wrong')
  assert.equal((await ann.api.post(`/companies/${ann.company.id}/restore`)).status, 200)
  assert.equal((await login(bob.email, temporaryPassword)).status, 200)
  assert.equal((await ann.api.delete(`${users}/${bob.id}`)).status, 200)
  assertProblem(await login(bob.email, temporaryPassword), 401, 'credentials_wrong')
})
