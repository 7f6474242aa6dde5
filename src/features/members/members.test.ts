import assert from 'node:assert/strict'
import { it } from 'node:test'
import { startTestApp, useTestApp } from '../../../test/support/app.ts'
import { addManagedMember, addMember, emailedPassword, join, link, rolesOf } from '../../../test/support/members.ts'
import { anyEmail, assertProblem, PASSWORD, type Person, signIn, signUp } from '../../../test/support/people.ts'
import { newId } from '../../lib/ids.ts'

const service = await useTestApp()

const users = '/companies/users'

it('adds a person with a new account', async () => {
  const ann = await signUp(service.client)
  const email = anyEmail()
  const added = await ann.api.post(users, { name: 'Bob', email, phone: '1', position: 'Clerk' })
  assert.equal(added.status, 201)
  assert.deepEqual(added.body.data, { id: added.body.data.id, name: 'Bob', email, isNewUser: true })
  assert.equal(typeof added.body.message, 'string')
})

it('emails a temporary password to a new account, which verifies its address and permits only a password change', async () => {
  const ann = await signUp(service.client)
  const { email } = await addMember(ann)
  const password = await emailedPassword(service, email)
  const bob = await signIn(service.client, email, password)
  assertProblem(await bob.api.get(users), 403, 'password_change_required')
  const change = { currentPassword: password, newPassword: 'Bobs-horse-88' }
  assert.equal((await bob.api.post('/auth/change-temporary-password', change)).status, 200)
  assert.equal((await bob.api.get(users)).status, 200)
  assert.equal((await bob.api.get('/auth/me')).body.data.user.email_verified, true)
})

it('lists members with all their fields', async () => {
  const ann = await signUp(service.client)
  const email = anyEmail()
  const added = await ann.api.post(users, { name: 'Bob', email, phone: '1', position: 'Clerk' })
  const { id } = added.body.data
  const list = await ann.api.get(users)
  assert.deepEqual([list.status, list.body.total, list.body.page, list.body.limit], [200, 2, 1, 20])
  const listed = list.body.data.find((each: { id: string }) => each.id === id)
  assert.deepEqual(listed, {
    id,
    name: 'Bob',
    email,
    roles: ['Member'],
    roleIds: [(await rolesOf(ann)).Member],
    status: 'active',
    phone: '1',
    position: 'Clerk',
    avatar_url: null,
    must_change_password: true,
    managed: true,
    password_shown: false,
    second_factor: false,
    branchIds: [],
    created_at: listed.created_at,
  })
})

it('shows in the list that a temporary password is valid', async () => {
  const ann = await signUp(service.client)
  const bob = await addMember(ann)
  const { data } = (await ann.api.get(`${users}?search=${bob.email}`)).body
  assert.equal(data[0].must_change_password, true)
})

it('links an existing account without changing it, and notifies its owner', async () => {
  const [ann, bob] = [await signUp(service.client), await signUp(service.client)]
  const { body } = await ann.api.post(users, { name: 'Another Name', email: bob.email.toUpperCase(), phone: '9' })
  assert.deepEqual(body.data, { id: bob.id, name: bob.name, email: bob.email, isNewUser: false })
  const me = (await bob.api.get('/auth/me')).body.data
  assert.equal(me.user.name, bob.name)
  assert.equal(me.user.phone, '')
  assert.deepEqual(me.companyRoles[ann.company.id], ['Member'])
  const emails = await service.mailbox.to(bob.email)
  assert.deepEqual(
    emails.map(({ kind }) => kind),
    ['added_to_company'],
  )
  assert.equal(emails[0]?.text.includes('token='), false)
  await signIn(service.client, bob.email, PASSWORD)
})

it('keeps the contact fields of each company apart, with the profile as fallback', async () => {
  const [ann, eve, bob] = [await signUp(service.client), await signUp(service.client), await signUp(service.client)]
  await bob.api.put('/auth/profile', { phone: 'own', position: 'Own' })
  await join(ann, bob)
  await join(eve, bob)
  await ann.api.patch(`${users}/${bob.id}`, { phone: 'ann', document_type: 'DNI' })
  const seen = async ({ api }: Person) => (await api.get(`${users}?search=${bob.email}`)).body.data[0]
  assert.deepEqual([(await seen(ann)).phone, (await seen(ann)).position], ['ann', 'Own'])
  assert.equal((await seen(eve)).phone, 'own')
  await ann.api.patch(`${users}/${bob.id}`, { phone: null })
  assert.equal((await seen(ann)).phone, 'own')
})

it('accepts document types of up to 64 characters, of members and of the own account', async () => {
  const ann = await signUp(service.client)
  const ways = (document_type: string) => [
    () => ann.api.put('/auth/profile', { document_type }),
    () => ann.api.patch(`${users}/${ann.id}`, { document_type }),
    () => ann.api.post(users, { name: 'Bob', email: anyEmail(), document_type }),
  ]
  for (const ask of ways('x'.repeat(64))) assert.ok((await ask()).status < 300)
  for (const ask of ways('x'.repeat(65))) assertProblem(await ask(), 400, 'validation_failed')
})

it('refuses to add a present member, active or inactive', async () => {
  const ann = await signUp(service.client)
  const bob = await addMember(ann)
  assertProblem(await ann.api.post(users, { name: 'B', email: bob.email }), 409, 'already_member')
  await ann.api.patch(`${users}/${bob.id}`, { status: 'inactive' })
  assertProblem(await ann.api.post(users, { name: 'B', email: bob.email }), 409, 'already_member')
  assertProblem(await ann.api.post(users, { name: 'A', email: ann.email }), 409, 'already_member')
  assertProblem(await ann.api.post(`/companies/${ann.company.id}/members`, { userId: bob.id }), 409, 'already_member')
})

it('adds a person once with twenty parallel requests', async () => {
  const ann = await signUp(service.client)
  const email = anyEmail()
  const answers = await Promise.all(Array.from({ length: 20 }, () => ann.api.post(users, { name: 'B', email })))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array(19).fill(409)])
  assert.equal((await service.mailbox.to(email)).length, 1)
  assert.equal((await ann.api.get(users)).body.total, 2)
})

it('creates one account when two companies add one address in parallel', async () => {
  const owners = await Promise.all(Array.from({ length: 6 }, () => signUp(service.client)))
  const email = anyEmail()
  const answers = await Promise.all(owners.map(({ api }) => api.post(users, { name: 'B', email })))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
  assert.equal(new Set(answers.map(({ body }) => body.data.id)).size, 1)
  assert.equal(answers.filter(({ body }) => body.data.isNewUser).length, 1)
})

it('requires a name and an address, and names the invalid fields', async () => {
  const ann = await signUp(service.client)
  const bad = [
    {},
    { name: 'B' },
    { name: '', email: anyEmail() },
    { name: 'B', email: 'x' },
    { name: 'B', email: anyEmail(), roleIds: 'x' },
    { name: 'B', email: anyEmail(), roleIds: ['x'] },
    { name: 'B', email: anyEmail(), roleIds: [newId().replaceAll('-', '')] },
    { name: 'B', email: anyEmail(), phone: 'x'.repeat(33) },
    { name: 'B', email: anyEmail(), phone: 5 },
    { name: 'B\0', email: anyEmail() },
  ]
  for (const body of bad) assertProblem(await ann.api.post(users, body), 400, 'validation_failed')
  assertProblem(await ann.api.post(users, { name: 'B', email: anyEmail(), roleIds: [newId()] }), 422, 'role_unknown')
  assert.equal((await ann.api.get(users)).body.total, 1)
})

it('changes nothing with an empty update', async () => {
  const ann = await signUp(service.client)
  const bob = await addMember(ann)
  const before = (await ann.api.get(`${users}?search=${bob.email}`)).body.data[0]
  assert.deepEqual((await ann.api.patch(`${users}/${bob.id}`, {})).body.data, before)
})

it('changes roles, status and contact fields, and records the changes', async () => {
  const ann = await signUp(service.client)
  const bob = await addMember(ann)
  const roles = await rolesOf(ann)
  const before = (await ann.api.get(`${users}?search=${bob.email}`)).body.data[0]
  const { status, body } = await ann.api.patch(`${users}/${bob.id}`, {
    roleIds: [roles.Manager?.toUpperCase(), roles.Member, roles.Member],
    status: 'inactive',
    phone: '7',
    position: 'Boss',
  })
  assert.equal(status, 200)
  assert.deepEqual(body.data, {
    ...before,
    roles: ['Manager', 'Member'],
    roleIds: [roles.Manager, roles.Member],
    status: 'inactive',
    phone: '7',
    position: 'Boss',
  })
  const [record] = await service.db.query(
    `select changes from audit_records where target_id = $1 and action = 'users.update'`,
    [bob.id],
  )
  assert.deepEqual(record?.changes.roles, { from: ['Member'], to: ['Manager', 'Member'] })
  assert.deepEqual(record?.changes.status, { from: 'active', to: 'inactive' })
})

it('refuses an update without roles, with unknown roles and with an unknown status', async () => {
  const ann = await signUp(service.client)
  const bob = await addMember(ann)
  assertProblem(await ann.api.patch(`${users}/${bob.id}`, { roleIds: [] }), 422, 'member_without_role')
  assertProblem(await ann.api.patch(`${users}/${bob.id}`, { roleIds: [newId()] }), 422, 'role_unknown')
  assertProblem(await ann.api.patch(`${users}/${bob.id}`, { status: 'gone' }), 400, 'validation_failed')
})

it('refuses an update of an unknown member and of a malformed id', async () => {
  const ann = await signUp(service.client)
  assertProblem(await ann.api.patch(`${users}/${newId()}`, {}), 404, 'member_not_found')
  assertProblem(await ann.api.patch(`${users}/not-a-uuid`, {}), 400, 'validation_failed')
})

it('denies an inactive member this company only', async () => {
  const [ann, bob] = [await signUp(service.client), await signUp(service.client)]
  await join(ann, bob)
  const inside = bob.api.with({ company: ann.company.id })
  assert.equal((await inside.get(users)).status, 200)
  await ann.api.patch(`${users}/${bob.id}`, { status: 'inactive' })
  assertProblem(await inside.get(users), 403, 'not_a_member')
  const me = (await bob.api.get('/auth/me')).body.data
  assert.deepEqual(
    me.tenants.map(({ id }: { id: string }) => id),
    [bob.company.id],
  )
  assert.equal(ann.company.id in me.companyRoles || ann.company.id in me.companyPermissions, false)
  assert.equal((await bob.api.get(users)).status, 200)
  await ann.api.patch(`${users}/${bob.id}`, { status: 'active' })
  assert.equal((await inside.get(users)).status, 200)
})

it('compares roles by their kind, not by their names', async () => {
  const ann = await signUp(service.client)
  const bob = await addMember(ann)
  const make = async (name: string) => {
    const [row] = await service.db.query<{ id: string }>(
      `insert into roles (company_id, id, name, name_folded, permissions) values ($1, gen_random_uuid(), $2, $2, '{}') returning id`,
      [ann.company.id, name],
    )
    return row?.id as string
  }
  const [a, bc, ab, c] = [await make('A'), await make('B,C'), await make('A,B'), await make('C')]
  await ann.api.patch(`${users}/${bob.id}`, { roleIds: [a, bc] })
  const { body } = await ann.api.patch(`${users}/${bob.id}`, { roleIds: [ab, c] })
  assert.deepEqual(body.data.roles, ['A,B', 'C'])
})

it('writes nothing into a company that is deleted while the request waits', async () => {
  const ann = await signUp(service.client)
  await service.db.query('begin')
  await service.db.query('update companies set deleted_at = now() where id = $1', [ann.company.id])
  const adding = ann.api.post(users, { name: 'B', email: anyEmail() })
  await service.db.waitForLock()
  await service.db.query('commit')
  assertProblem(await adding, 403, 'not_a_member')
})

it('applies a removed role from the next request on', async () => {
  const ann = await signUp(service.client)
  const bob = await join(ann, await signUp(service.client), ['Admin'])
  assert.equal((await bob.api.post(users, { name: 'C', email: anyEmail() })).status, 201)
  await ann.api.patch(`${users}/${bob.id}`, { roleIds: [(await rolesOf(ann)).Member] })
  const refused = await bob.api.post(users, { name: 'C', email: anyEmail() })
  assertProblem(refused, 403, 'permission_missing')
  assert.equal(refused.body.required, 'users:create')
})

it('detaches a member, keeps the account, and can add it again', async () => {
  const ann = await signUp(service.client)
  const bob = await join(ann, await signUp(service.client))
  const answer = await ann.api.delete(`${users}/${bob.id}`)
  assert.deepEqual([answer.status, answer.body.data], [200, { id: bob.id }])
  assertProblem(await bob.api.get(users), 403, 'not_a_member')
  assertProblem(await ann.api.delete(`${users}/${bob.id}`), 404, 'member_not_found')
  await signIn(service.client, bob.email)
  assert.equal((await ann.api.get(users)).body.total, 1)
  assert.equal((await ann.api.post(`/companies/${ann.company.id}/members`, { userId: bob.id })).status, 201)
  const removed = await ann.api.delete(`/companies/${ann.company.id}/members/${bob.id}`)
  assert.deepEqual([removed.status, removed.body.data], [200, { id: bob.id }])
})

it('lets an operator delete the account of who has added members, and they stay', async () => {
  const ann = await signUp(service.client)
  const bob = await addManagedMember(service, ann)
  const { Admin } = await rolesOf(ann)
  assert.equal((await ann.api.patch(`${users}/${bob.id}`, { roleIds: [Admin] })).status, 200)
  const carol = await addMember(bob)
  const dan = await link(bob, await signUp(service.client))
  assert.equal((await ann.api.delete(`${users}/${bob.id}`)).status, 200)

  await service.db.query('delete from accounts where id = $1', [bob.id])

  assert.equal((await ann.api.get(`${users}/${carol.id}`)).status, 200)
  assert.equal((await dan.api.get(`/companies/${ann.company.id}`)).status, 200)
  assert.equal((await ann.api.delete(`${users}/${dan.id}`)).status, 200)
})

it('assigns an account by its id, with roles by name in any letter case', async () => {
  const [ann, bob] = [await signUp(service.client), await signUp(service.client)]
  const path = `/companies/${ann.company.id}/members`
  assertProblem(await ann.api.post(path, { userId: newId() }), 404, 'account_not_found')
  for (const name of ['Unknown', 'Мember', 'Member 2', '%']) {
    assertProblem(await ann.api.post(path, { userId: bob.id, roleNames: ['Member', name] }), 422, 'role_unknown')
  }
  assertProblem(await ann.api.post(path, { userId: 'x' }), 400, 'validation_failed')
  assertProblem(await ann.api.post(path, {}), 400, 'validation_failed')
  const { status, body } = await ann.api.post(path, { userId: bob.id, roleNames: ['mAnAgEr', 'MÉMBER'], phone: '5' })
  assert.equal(status, 201)
  assert.deepEqual([body.data.id, body.data.roles, body.data.phone], [bob.id, ['Manager', 'Member'], '5'])
})

it('refuses an address that names another company than the header', async () => {
  const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
  assertProblem(await ann.api.post(`/companies/${eve.company.id}/members`, { userId: ann.id }), 403, 'company_mismatch')
  assertProblem(await ann.api.delete(`/companies/${eve.company.id}/members/${eve.id}`), 403, 'company_mismatch')
  assertProblem(await ann.api.post(`/companies/x/members`, { userId: ann.id }), 400, 'validation_failed')
})

it('checks token, temporary password, header, membership and permission in this order', async () => {
  const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
  const bob = await join(ann, await signUp(service.client))
  const calls: [string, string, object?][] = [
    ['GET', users],
    ['POST', users, { name: 'X', email: anyEmail() }],
    ['PATCH', `${users}/${bob.id}`, {}],
    ['POST', `${users}/${bob.id}/reset-password`],
    ['POST', `${users}/${bob.id}/reset-password-email`],
    ['DELETE', `${users}/${bob.id}`],
    ['GET', `${users}/search?q=ab`],
    ['GET', `${users}/${bob.id}/companies`],
    ['POST', `/companies/${ann.company.id}/members`, { userId: bob.id }],
    ['DELETE', `/companies/${ann.company.id}/members/${bob.id}`],
    ['GET', '/companies/roles'],
    ['GET', '/companies/permissions'],
  ]
  const reading = (path: string) => path === users || path.endsWith('/companies') || /roles$|permissions$/.test(path)
  for (const [method, path, body] of calls) {
    assertProblem(await service.client.send(method, path, body), 401, 'token_missing')
    for (const company of ['', 'x', `{${ann.company.id}}`, ann.company.id.replaceAll('-', '')]) {
      assertProblem(await ann.api.send(method, path, body, { company }), 400, 'company_header_missing')
    }
    assertProblem(await eve.api.send(method, path, body, { company: ann.company.id }), 403, 'not_a_member')
    assertProblem(await ann.api.send(method, path, body, { company: newId() }), 403, 'not_a_member')
    const byMember = await bob.api.send(method, path, body)
    if (method === 'GET' && reading(path)) assert.equal(byMember.status, 200)
    else assertProblem(byMember, 403, 'permission_missing')
  }
})

it('does not find members of other companies', async () => {
  const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
  const carl = await addMember(eve)
  for (const id of [eve.id, carl.id]) {
    assertProblem(await ann.api.patch(`${users}/${id}`, { phone: '1' }), 404, 'member_not_found')
    assertProblem(await ann.api.delete(`${users}/${id}`), 404, 'member_not_found')
    assertProblem(await ann.api.post(`${users}/${id}/reset-password`), 404, 'member_not_found')
    assertProblem(await ann.api.post(`${users}/${id}/reset-password-email`), 404, 'member_not_found')
    assertProblem(await ann.api.get(`${users}/${id}/companies`), 404, 'member_not_found')
  }
})

it('refuses roles of other companies', async () => {
  const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
  const foreign = await rolesOf(eve)
  assertProblem(
    await ann.api.post(users, { name: 'X', email: anyEmail(), roleIds: [foreign.Member] }),
    422,
    'role_unknown',
  )
  assertProblem(await ann.api.patch(`${users}/${ann.id}`, { roleIds: [foreign.Owner] }), 422, 'role_unknown')
  assert.deepEqual((await ann.api.get(`${users}?roleId=${foreign.Owner}`)).body.data, [])
})

it('finds strangers only by their exact address', async () => {
  const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
  const carl = await addMember(eve)
  assert.deepEqual((await ann.api.get(`${users}/search?q=${carl.email.slice(0, 12)}`)).body.data, [])
  const exact = (await ann.api.get(`${users}/search?q=${carl.email.toUpperCase()}`)).body.data
  assert.deepEqual(
    exact.map(({ id }: { id: string }) => id),
    [carl.id],
  )
})

it('searches accounts to add among those that the actor may see', async () => {
  const ann = await signUp(service.client)
  const other = await ann.api.post('/companies', { name: `Other ${newId()}`, taxId: '1' })
  const there = { ...ann, api: ann.api.with({ company: other.body.data.id }) }
  const zoe = await addMember(there, { name: 'Zoë Übermann' })
  const { body } = await ann.api.get(`${users}/search?q=${encodeURIComponent(' ZOE uber ')}`)
  assert.deepEqual(body.data, [{ id: zoe.id, name: 'Zoë Übermann', email: zoe.email }])
  for (const q of ['', 'a', ' a ', undefined]) {
    assertProblem(
      await ann.api.get(`${users}/search${q === undefined ? '' : `?q=${encodeURIComponent(q)}`}`),
      400,
      'validation_failed',
    )
  }
  assert.deepEqual((await ann.api.get(`${users}/search?q=%25%25`)).body.data, [])
})

it('lists the companies of a member in which the actor may read members', async () => {
  const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
  const bob = await join(ann, await signUp(service.client), ['Admin'])
  await join(eve, bob)
  const seen = (await ann.api.get(`${users}/${bob.id}/companies`)).body.data
  const { id, name, slug } = ann.company
  assert.deepEqual(seen, [{ id, name, slug, roles: ['Admin'] }])
  const own = (await bob.api.get(`${users}/${bob.id}/companies`)).body.data
  assert.equal(own.length, 3)
})

it('opens a company for a linked account only after verification when REQUIRE_VERIFIED_EMAIL is set', async () => {
  const strict = await startTestApp({ REQUIRE_VERIFIED_EMAIL: 'true' })
  try {
    const [ann, bob] = [await signUp(strict.client), await signUp(strict.client)]
    await ann.api.post(users, { name: 'B', email: bob.email })
    const inside = bob.api.with({ company: ann.company.id })
    assertProblem(await inside.get(users), 403, 'not_a_member')
    assert.equal((await bob.api.get('/auth/me')).body.data.tenants.length, 1)
    await strict.client.post('/auth/verify-email', { token: await strict.mailbox.token(bob.email, 'confirm_email') })
    assert.equal((await inside.get(users)).status, 200)
    assert.equal((await bob.api.get('/auth/me')).body.data.tenants.length, 2)

    const carl = await signUp(strict.client)
    await link(ann, carl, ['Owner'])
    assertProblem(await ann.api.delete(`${users}/${ann.id}`), 422, 'last_owner')
  } finally {
    await strict.close()
  }
})
