import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useTestApp } from './support/app.ts'
import { join } from './support/members.ts'
import { assertProblem, PASSWORD, type Person, signUp } from './support/people.ts'

const service = await useTestApp()

/** A company with its owner and a second administrator. */
async function createTeam() {
  const ann = await signUp(service.client, { name: 'Ann' })
  const bob = await join(ann, await signUp(service.client, { name: 'Bob' }), ['Admin'])
  return { ann, bob, company: `/companies/${ann.company.id}` }
}

/** Creates the custom role Clerk; its path is below `/api`. */
async function createClerk({ api }: Person) {
  const role = await api.post('/companies/roles', {
    name: 'Clerk',
    description: 'Keeps the records of people.',
    permissions: ['users:read', 'users:update'],
  })
  assert.equal(role.status, 201, JSON.stringify(role.body))
  return { id: role.body.data.id as string, path: `/companies/roles/${role.body.data.id}` }
}

const namesOf = (items: { name: string }[]) => items.map(({ name }) => name)

describe('the life of a company through HTTP', () => {
  it('includes members with a custom role in a branch', async () => {
    const { ann, bob } = await createTeam()
    const role = await createClerk(ann)
    const north = await ann.api.post('/companies/branches', { name: 'North', code: 'N' })
    const harbor = await bob.api.post('/companies/branches', { name: 'Harbor', parentId: north.body.data.id })
    assert.deepEqual([north.status, harbor.status], [201, 201])
    const carl = await ann.api.post('/companies/users', {
      name: 'Carl',
      email: 'carl@example.com',
      roleIds: [role.id],
      branchIds: [harbor.body.data.id],
    })
    assert.equal(carl.status, 201)
    assert.deepEqual(namesOf((await ann.api.get(`/companies/users?branchId=${harbor.body.data.id}`)).body.data), [
      'Carl',
    ])
    const explained = await ann.api.get(
      `/companies/permissions/explain?userId=${carl.body.data.id}&permission=users:update`,
    )
    assert.deepEqual(explained.body.data, {
      allowed: true,
      roles: [{ id: role.id, name: 'Clerk' }],
      reason: 'held',
    })
  })

  it('includes parallel edits of two administrators, of which none is lost', async () => {
    const { ann, bob } = await createTeam()
    const { path: clerk } = await createClerk(ann)
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
  })

  it('includes a verifiable audit record of every change', async () => {
    const { ann } = await createTeam()
    const { path: clerk } = await createClerk(ann)
    await ann.api.patch(clerk, { description: 'Keeps records.' })
    await ann.api.post('/companies/branches', { name: 'North' })
    await ann.api.post('/companies/users', { name: 'Carl', email: 'carl@example.org' })
    const page = await ann.api.get('/companies/audit?limit=100')
    const actions = page.body.data.map(({ action }: { action: string }) => action)
    for (const action of ['companies.create', 'users.add', 'roles.create', 'roles.update', 'branches.create'])
      assert.ok(actions.includes(action), action)
    const verified = await ann.api.get('/companies/audit/verify')
    assert.deepEqual([verified.body.data.valid, verified.body.data.firstInvalid], [true, null])
    assert.ok(verified.body.data.records >= actions.length)
  })

  it('includes a verification that names a record which was changed in the database', async () => {
    const { ann } = await createTeam()
    await createClerk(ann)
    assert.equal((await ann.api.get('/companies/audit/verify')).body.data.valid, true)
    const [forged] = await service.db.query<{ seq: string }>(
      `update audit_records set target_label = 'Forged' where company_id = $1 and action = 'roles.create' returning seq`,
      [ann.company.id],
    )
    const found = await ann.api.get('/companies/audit/verify')
    assert.equal(found.body.data.valid, false)
    assert.equal(found.body.data.firstInvalid.seq, Number(forged?.seq))
    assert.equal(found.body.data.firstInvalid.reason, 'changed')
  })

  it('includes a deletion for all members, and a restore by the owner only', async () => {
    const { ann, bob, company } = await createTeam()
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
    assert.equal((await bob.api.get('/companies/users')).body.total, 2)
  })

  it('includes a transfer of its ownership, after which the former owner leaves', async () => {
    const { ann, bob, company } = await createTeam()
    const offer = await ann.api.post(`${company}/ownership-transfer`, { userId: bob.id })
    assert.equal(offer.status, 201, JSON.stringify(offer.body))
    const accepted = await bob.api.post(`${company}/ownership-transfer/accept`, { currentPassword: PASSWORD })
    assert.equal(accepted.status, 200, JSON.stringify(accepted.body))
    assertProblem(await bob.api.post(`${company}/leave`), 422, 'last_owner')
    assert.equal((await ann.api.post(`${company}/leave`)).status, 200)
    assertProblem(await ann.api.get('/companies/users'), 403, 'not_a_member')
  })
})
