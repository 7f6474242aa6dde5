import assert from 'node:assert/strict'
import { it } from 'node:test'
import { useTestApp } from './support/app.ts'
import { join } from './support/members.ts'
import { assertProblem, PASSWORD, signUp } from './support/people.ts'

const service = await useTestApp()

it('takes a company from creation to the handover of its ownership through HTTP', async () => {
  // Create it, with a second administrator.
  const ann = await signUp(service.client, { name: 'Ann', companyName: 'Acme' })
  const bob = await join(ann, await signUp(service.client, { name: 'Bob' }), ['Admin'])
  const company = `/companies/${ann.company.id}`

  // A custom role, branches, and a member of one of them.
  const role = await ann.api.post('/companies/roles', {
    name: 'Clerk',
    description: 'Keeps the records of people.',
    permissions: ['users:read', 'users:update'],
  })
  assert.equal(role.status, 201, JSON.stringify(role.body))
  const north = await ann.api.post('/companies/branches', { name: 'North', code: 'N' })
  const harbour = await bob.api.post('/companies/branches', { name: 'Harbour', parentId: north.body.data.id })
  assert.deepEqual([north.status, harbour.status], [201, 201])
  const carl = await ann.api.post('/companies/users', {
    name: 'Carl',
    email: 'carl@example.com',
    roleIds: [role.body.data.id],
    branchIds: [harbour.body.data.id],
  })
  assert.equal(carl.status, 201)
  const there = await ann.api.get(`/companies/users?branchId=${harbour.body.data.id}`)
  assert.deepEqual(
    there.body.data.map(({ name }: { name: string }) => name),
    ['Carl'],
  )
  const why = await ann.api.get(`/companies/permissions/explain?userId=${carl.body.data.id}&permission=users:update`)
  assert.deepEqual(why.body.data, {
    allowed: true,
    roles: [{ id: role.body.data.id, name: 'Clerk' }],
    reason: 'held',
  })

  // Two administrators edit the same role: the second one is refused, reads again, and no edit is lost.
  const clerk = `/companies/roles/${role.body.data.id}`
  const seen = (await ann.api.get(clerk)).headers.get('etag') as string
  const edit = { permissions: ['users:read', 'users:update', 'branches:read'] }
  assert.equal((await ann.api.patch(clerk, edit, { headers: { 'if-match': seen } })).status, 200)
  const late = { description: 'Keeps records.' }
  assertProblem(await bob.api.patch(clerk, late, { headers: { 'if-match': seen } }), 412, 'version_mismatch')
  const again = (await bob.api.get(clerk)).headers.get('etag') as string
  const edited = await bob.api.patch(clerk, late, { headers: { 'if-match': again } })
  assert.deepEqual(
    [edited.status, edited.body.data.description, edited.body.data.permissions.length],
    [200, late.description, 3],
  )

  // The audit log has a record of every change, and verifies.
  const page = await ann.api.get('/companies/audit?limit=100')
  const actions = page.body.data.map(({ action }: { action: string }) => action)
  for (const action of ['companies.create', 'users.add', 'roles.create', 'roles.update', 'branches.create'])
    assert.ok(actions.includes(action), action)
  const proven = await ann.api.get('/companies/audit/verify')
  assert.deepEqual([proven.body.data.valid, proven.body.data.firstInvalid], [true, null])
  assert.ok(proven.body.data.records >= actions.length)

  // Deleted: no member finds it any more. Its owner restores it.
  assert.equal((await ann.api.delete(company)).status, 200)
  assertProblem(await bob.api.get('/companies/users'), 403, 'not_a_member')
  assertProblem(await bob.api.get(company), 404, 'company_not_found')
  assert.deepEqual((await ann.api.get('/auth/me')).body.data.tenants, [])
  const deleted = await ann.api.get('/companies?status=deleted')
  assert.deepEqual(
    deleted.body.data.map(({ id }: { id: string }) => id),
    [ann.company.id],
  )
  assertProblem(await bob.api.post(`${company}/restore`), 404, 'company_not_found')
  assert.equal((await ann.api.post(`${company}/restore`)).status, 200)
  assert.equal((await bob.api.get('/companies/users')).body.total, 3)

  // The ownership is transferred, and the former owner leaves.
  const offer = await ann.api.post(`${company}/ownership-transfer`, { userId: bob.id })
  assert.equal(offer.status, 201, JSON.stringify(offer.body))
  const accepted = await bob.api.post(`${company}/ownership-transfer/accept`, { currentPassword: PASSWORD })
  assert.equal(accepted.status, 200, JSON.stringify(accepted.body))
  assertProblem(await bob.api.post(`${company}/leave`), 422, 'last_owner')
  assert.equal((await ann.api.post(`${company}/leave`)).status, 200)
  assertProblem(await ann.api.get('/companies/users'), 403, 'not_a_member')

  // A record is changed in the database: the verification names it.
  const [forged] = await service.db.query<{ seq: string }>(
    `update audit_records set target_label = 'Nobody' where company_id = $1 and action = 'roles.create' returning seq`,
    [ann.company.id],
  )
  const found = await bob.api.get('/companies/audit/verify')
  assert.equal(found.body.data.valid, false)
  assert.equal(found.body.data.firstInvalid.seq, Number(forged?.seq))
  assert.equal(found.body.data.firstInvalid.reason, 'changed')
})
