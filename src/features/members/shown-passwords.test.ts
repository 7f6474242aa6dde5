import assert from 'node:assert/strict'
import { it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { signUpVerified } from '../../../test/support/factors.ts'
import {
  createInvitationLink,
  invitationToken,
  joinByLink,
  registerInvited,
} from '../../../test/support/invitations.ts'
import {
  addManagedMember,
  addMember,
  emailedPassword,
  join,
  link,
  recoverAccount,
  rolesOf,
} from '../../../test/support/members.ts'
import {
  anyEmail,
  assertProblem,
  PASSWORD,
  type Person,
  registration,
  signIn,
  signUp,
} from '../../../test/support/people.ts'

const users = '/companies/users'

const service = await useTestApp()

/** Signs an administrator of `by` in with the shown password of a member, and chooses another one. */
async function signInWithShownPassword(by: Person, member: { id: string; email: string }): Promise<Person> {
  const { body } = await by.api.post(`${users}/${member.id}/reset-password`)
  const currentPassword = body.data.temporaryPassword as string
  const held = await signIn(service.client, member.email, currentPassword)
  await held.api.post('/auth/change-temporary-password', { currentPassword, newPassword: 'Stands-in-77' })
  const { api, ...person } = await signIn(service.client, member.email, 'Stands-in-77')
  return { ...person, api: api.with({ company: by.company.id }), company: by.company }
}

it('lets the account create no company and accept no ownership until its address is verified', async () => {
  const ann = await signUp(service.client)
  const bob = await addMember(ann)
  const standsIn = await signInWithShownPassword(ann, bob)
  const found = (person: Person) => person.api.post('/companies', { name: `Own ${bob.id}`, taxId: 'T' })
  assertProblem(await found(standsIn), 403, 'email_verification_required')
  assert.equal((await ann.api.post(`${users}/${bob.id}/reset-password`)).status, 200, 'still in its company’s hands')

  const again = await signInWithShownPassword(ann, bob)
  const transfer = `/companies/${ann.company.id}/ownership-transfer`
  assert.equal((await ann.api.post(transfer, { userId: bob.id })).status, 201)
  const accept = (person: Person, currentPassword: string) => person.api.post(`${transfer}/accept`, { currentPassword })
  assertProblem(await accept(again, 'Stands-in-77'), 403, 'email_verification_required')
  assert.equal((await ann.api.get(`${users}/${bob.id}`)).body.data.password_shown, true)

  const owner = await recoverAccount(service, bob)
  assert.equal((await accept(owner, PASSWORD)).status, 200)
  assert.equal((await found(owner)).status, 201)
  assert.equal((await ann.api.get(`${users}/${bob.id}`)).body.data.password_shown, false)
})

it('accepts no ownership by another address that who signed in with it has confirmed', async () => {
  const [carol, dave] = [await signUp(service.client), await signUp(service.client)]
  const xavier = await addManagedMember(service, carol)
  await join(dave, xavier)
  await join(dave, carol, ['Admin'])
  const asXavier = await signInWithShownPassword(carol, xavier)
  const transfer = `/companies/${dave.company.id}/ownership-transfer`
  assert.equal((await dave.api.post(transfer, { userId: xavier.id })).status, 201)
  const email = anyEmail()
  assert.equal((await asXavier.api.put('/auth/profile', { email })).status, 200)
  const token = await service.mailbox.token(email, 'change_email')
  assert.equal((await service.client.post('/auth/verify-email', { token })).status, 200)
  const accepting = asXavier.api.post(`${transfer}/accept`, { currentPassword: 'Stands-in-77' })
  assertProblem(await accepting, 422, 'transfer_expired')
})

it('is told to every company that the account has opened', async () => {
  const [ann, quinn] = [await signUp(service.client), await signUp(service.client)]
  const bob = await addManagedMember(service, ann)
  const eve = await join(ann, await signUp(service.client), ['Admin'])
  for (const person of [bob, eve]) await join(quinn, person, ['Admin'])
  const isShown = async () => (await quinn.api.get(`${users}/${bob.id}`)).body.data.password_shown
  assert.equal(await isShown(), false)
  assert.equal((await eve.api.post(`${users}/${bob.id}/reset-password`)).status, 200)
  assert.equal(await isShown(), true)
  await recoverAccount(service, bob)
  assert.equal(await isShown(), false)
})

it('vouches for nothing any more once an emailed secret has replaced it', async () => {
  const ann = await signUp(service.client)
  const eve = await join(ann, await signUp(service.client), ['Admin'])
  const [vic, zoe] = [await addMember(ann, { roles: ['Admin'] }), await addMember(ann)]
  const { Admin } = await rolesOf(ann)
  const asVic = await signInWithShownPassword(eve, vic)
  const { token } = await createInvitationLink(asVic, { roleIds: [Admin as string] })
  const invited = { email: anyEmail(), roleIds: [Admin] }
  assert.equal((await asVic.api.post('/companies/invitations', invited)).status, 201)
  const { temporaryPassword } = (await asVic.api.post(`${users}/${zoe.id}/reset-password`)).body.data
  const entersAsZoe = async () =>
    (await service.client.post('/auth/login', { email: zoe.email, password: temporaryPassword })).status === 200
  assert.equal(await entersAsZoe(), true)
  assert.equal((await ann.api.delete(`${users}/${eve.id}`)).status, 200)

  // Before it is used: it has replaced the password already.
  assert.equal((await ann.api.post(`${users}/${vic.id}/reset-password-email`)).body.data.replaced, true)
  const stranger = await signUpVerified(service)
  assertProblem(await joinByLink(stranger, token), 422, 'invitation_no_longer_valid')
  const owner = await recoverAccount(service, vic)
  const registering = await registerInvited(service, await invitationToken(service, invited))
  assertProblem(registering, 422, 'invitation_no_longer_valid')
  assert.equal(await entersAsZoe(), false)

  const again = await createInvitationLink({ ...owner, api: owner.api.with({ company: ann.company.id }) })
  assert.equal((await joinByLink(stranger, again.token)).status, 200)
})

it('cannot be used to leave a company that awaits verification', async () => {
  const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
  const bob = await addMember(ann)
  await eve.api.post(users, { name: 'B', email: bob.email })
  const standsIn = await signInWithShownPassword(ann, bob)
  const leave = (person: Person) => person.api.post(`/companies/${eve.company.id}/leave`)
  assertProblem(await leave(standsIn), 403, 'email_verification_required')
  assert.equal((await leave(await recoverAccount(service, bob))).status, 200)
})

it('stays valid beside a password that another company has emailed, until the chosen password is used', async () => {
  const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
  for (const kind of ['shown', 'mailed']) {
    const bob = await addMember(ann)
    await eve.api.post(users, { name: 'B', email: bob.email })
    const first =
      kind === 'mailed'
        ? await emailedPassword(service, bob.email, ['temporary_password'])
        : ((await ann.api.post(`${users}/${bob.id}/reset-password`)).body.data.temporaryPassword as string)
    assert.equal((await eve.api.post(`${users}/${bob.id}/reset-password-email`)).status, 200)
    const second = await emailedPassword(service, bob.email)
    assert.notEqual(second, first)
    const login = (password: string) => service.client.post('/auth/login', { email: bob.email, password })
    assert.equal((await login(second)).body.data.user.must_change_password, true)
    assert.equal((await login(first)).body.data.user.must_change_password, true)
    assertProblem(await login(second), 401, 'credentials_wrong')
    assert.equal((await login(first)).status, 200)
  }
})

it('ends with the next password change, by either of the two passwords', async () => {
  const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
  const bob = await addMember(ann)
  const first = await emailedPassword(service, bob.email)
  await eve.api.post(users, { name: 'B', email: bob.email })
  await eve.api.post(`${users}/${bob.id}/reset-password-email`)
  const second = await emailedPassword(service, bob.email)
  const held = await signIn(service.client, bob.email, second)
  await held.api.post('/auth/change-temporary-password', { currentPassword: second, newPassword: PASSWORD })
  for (const password of [first, second])
    assertProblem(await service.client.post('/auth/login', { email: bob.email, password }), 401, 'credentials_wrong')
  await signIn(service.client, bob.email)
})

it('causes no deadlock when companies are created in parallel to profile changes', async () => {
  const ann = await signUp(service.client)
  const creations = Array.from({ length: 10 }, () =>
    ann.api.post('/companies', { name: registration().companyName, taxId: 'T' }),
  )
  const answers = await Promise.all([ann.api.put('/auth/profile', { name: 'Ann B' }), ...creations])
  assert.deepEqual([...new Set(answers.map(({ status }) => status))].sort(), [200, 201])
  const [stats] = await service.db.query<{ deadlocks: number }>(
    'select deadlocks::int from pg_stat_database where datname = current_database()',
  )
  assert.equal(stats?.deadlocks, 0)
})

it('does not tell a company about an account that never opened it', async () => {
  const ann = await signUp(service.client)
  const bob = await link(ann, await signUp(service.client))
  await bob.api.post(`/companies/${ann.company.id}/leave`)
  const carl = await join(ann, await signUp(service.client))
  await carl.api.post(`/companies/${ann.company.id}/leave`)
  const { data } = (await ann.api.get('/companies/audit?action=users.leave')).body
  assert.deepEqual(
    data.map(({ ip, user_agent: agent }: { ip: string | null; user_agent: string }) => [ip !== null, agent !== '']),
    [
      [true, true],
      [false, false],
    ],
  )
})

it('does not keep the managing company out of the list at sign-in, for any number of linking companies', async () => {
  const ann = await signUp(service.client)
  const bob = await addMember(ann)
  for (let i = 0; i < 21; i++) {
    const stranger = await signUp(service.client)
    await stranger.api.post(users, { name: 'B', email: bob.email, roleIds: [(await rolesOf(stranger)).Member] })
  }
  const held = await signIn(
    service.client,
    bob.email,
    await emailedPassword(service, bob.email, ['temporary_password']),
  )
  const { body } = await service.client.post('/auth/login', {
    email: bob.email,
    password: await emailedPassword(service, bob.email, ['temporary_password']),
  })
  assert.equal(held.company.id, ann.company.id)
  assert.equal(body.data.tenants.length, 21)
})
