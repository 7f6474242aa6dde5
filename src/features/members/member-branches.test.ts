import assert from 'node:assert/strict'
import { it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { createBranch } from '../../../test/support/branches.ts'
import { addMember, join, rolesOf } from '../../../test/support/members.ts'
import { anyEmail, assertProblem, signUp } from '../../../test/support/people.ts'
import { newId } from '../../lib/ids.ts'

const service = await useTestApp()
const ann = await signUp(service.client)
const here = await createBranch(ann, { name: 'Here' })
const there = await createBranch(ann, { name: 'There' })

const users = '/companies/users'
const patch = (id: string, body: object) => ann.api.patch(`${users}/${id}`, body)
const branchIdsOf = async (id: string) => (await ann.api.get(`${users}/${id}`)).body.data.branchIds
const changesOf = (id: string) =>
  service.db.query(
    `select action, changes -> 'branches' as branches from audit_records
     where target_id = $1 and company_id = $2 and outcome = 'done' order by id`,
    [id, ann.company.id],
  )

it('sets branches when adding, assigning and updating, and records their names', async () => {
  const added = await ann.api.post(users, { name: 'B', email: anyEmail(), branchIds: [there.id, here.id] })
  const { id } = added.body.data
  assert.equal(added.status, 201)
  assert.deepEqual(await branchIdsOf(id), [here.id, there.id])

  const changed = await patch(id, { branchIds: [there.id.toUpperCase(), there.id] })
  assert.deepEqual([changed.status, changed.body.data.branchIds], [200, [there.id]])
  assert.deepEqual((await patch(id, { phone: '1' })).body.data.branchIds, [there.id], 'absent: as it was')
  assert.deepEqual((await patch(id, { branchIds: [] })).body.data.branchIds, [])
  assert.deepEqual((await patch(id, { branchIds: [] })).body.data.branchIds, [])
  assert.deepEqual(await changesOf(id), [
    { action: 'users.add', branches: { from: [], to: ['Here', 'There'] } },
    { action: 'users.update', branches: { from: ['Here', 'There'], to: ['There'] } },
    { action: 'users.update', branches: null },
    { action: 'users.update', branches: { from: ['There'], to: [] } },
  ])

  const bob = await signUp(service.client)
  const assigned = await ann.api.post(`/companies/${ann.company.id}/members`, { userId: bob.id, branchIds: [here.id] })
  assert.deepEqual([assigned.status, assigned.body.data.branchIds], [201, [here.id]])
  const linked = await ann.api.post(users, {
    name: 'L',
    email: (await signUp(service.client)).email,
    branchIds: [here.id],
  })
  assert.deepEqual(await branchIdsOf(linked.body.data.id), [here.id])
})

it('refuses branches that the company does not have, and changes nothing', async () => {
  const eve = await signUp(service.client)
  const foreign = await createBranch(eve)
  const bob = await addMember(ann)
  const carl = await signUp(service.client)
  const members = `/companies/${ann.company.id}/members`
  const before = (await ann.api.get(users)).body.total
  for (const id of [foreign.id, newId()]) {
    const branchIds = [here.id, id]
    assertProblem(await patch(bob.id, { branchIds, phone: '9' }), 422, 'branch_unknown')
    assertProblem(await ann.api.post(users, { name: 'X', email: anyEmail(), branchIds }), 422, 'branch_unknown')
    assertProblem(await ann.api.post(members, { userId: carl.id, branchIds }), 422, 'branch_unknown')
  }
  for (const branchIds of ['x', ['x'], [here.id, null], null, here.id, Array.from({ length: 51 }, newId)])
    assertProblem(await patch(bob.id, { branchIds }), 400, 'validation_failed')
  assert.deepEqual(await branchIdsOf(bob.id), [])
  assert.equal((await ann.api.get(`${users}/${bob.id}`)).body.data.phone, '')
  assert.equal((await ann.api.get(users)).body.total, before)
})

it('adds no member to an inactive branch, and keeps those it has', async () => {
  const closed = await createBranch(ann)
  const [bob, carl] = [await addMember(ann), await addMember(ann)]
  await patch(bob.id, { branchIds: [closed.id] })
  await ann.api.patch(`/companies/branches/${closed.id}`, { status: 'inactive' })
  const branchIds = [closed.id, here.id]
  assertProblem(await patch(carl.id, { branchIds }), 422, 'branch_inactive')
  assertProblem(await ann.api.post(users, { name: 'X', email: anyEmail(), branchIds }), 422, 'branch_inactive')
  assert.deepEqual((await patch(bob.id, { branchIds })).body.data.branchIds, [here.id, closed.id].sort())
  await patch(bob.id, { branchIds: [] })
  assertProblem(await patch(bob.id, { branchIds }), 422, 'branch_inactive')
})

it('needs users:update and enough permissions for the target', async () => {
  const manager = await join(ann, await signUp(service.client), ['Manager'])
  const [admin, member] = [await addMember(ann, { roles: ['Admin'] }), await addMember(ann)]
  const reader = await join(ann, await signUp(service.client))
  const body = { branchIds: [here.id] }
  for (const id of [ann.id, admin.id])
    assertProblem(await manager.api.patch(`${users}/${id}`, body), 403, 'target_exceeds_permissions')
  assert.equal((await manager.api.patch(`${users}/${member.id}`, body)).status, 200)
  assert.equal((await manager.api.patch(`${users}/${manager.id}`, body)).status, 200)
  assertProblem(await reader.api.patch(`${users}/${reader.id}`, body), 403, 'permission_missing')
})

it('ends with the membership', async () => {
  const gone = await createBranch(ann)
  const bob = await join(ann, await signUp(service.client))
  await patch(bob.id, { branchIds: [gone.id] })
  assert.equal((await ann.api.delete(`${users}/${bob.id}`)).status, 200)
  assert.equal((await ann.api.delete(`/companies/branches/${gone.id}`)).status, 200)
  await join(ann, bob)
  assert.deepEqual(await branchIdsOf(bob.id), [])
})

it('filters the list by branch, alone and combined, with exact totals', async () => {
  const branch = await createBranch(ann)
  const roles = await rolesOf(ann)
  const people = []
  for (const name of ['Zoë', 'Ada', 'Max']) {
    const { id } = await addMember(ann, { name })
    await patch(id, { branchIds: [branch.id, here.id] })
    people.push(id)
  }
  const [zoe, ada, max] = people as [string, string, string]
  await patch(max, { status: 'inactive', roleIds: [roles.Manager] })
  const list = async (query: string) => {
    const { data, total } = (await ann.api.get(`${users}?branchId=${branch.id}${query}`)).body
    return [data.map(({ id }: { id: string }) => id), total]
  }
  assert.deepEqual(await list(''), [[ada, max, zoe], 3])
  assert.deepEqual(await list('&limit=1&page=2'), [[max], 3])
  assert.deepEqual(await list('&status=inactive'), [[max], 1])
  assert.deepEqual(await list('&search=zoe'), [[zoe], 1])
  assert.deepEqual(await list(`&roleId=${roles.Member}&sortDir=desc`), [[zoe, ada], 2])
  assert.deepEqual(await list(`&roleId=${roles.Owner}`), [[], 0])
  assertProblem(await ann.api.get(`${users}?branchId=x`), 400, 'validation_failed')
  const eve = await signUp(service.client)
  assert.equal((await eve.api.get(`${users}?branchId=${branch.id}`)).body.total, 0)
})

it('counts a branch with more members than the list reads at once', async () => {
  const eve = await signUp(service.client)
  const [branch, role] = [await createBranch(eve), (await rolesOf(eve)).Member]
  // Without triggers, which would take long: members with only the columns that the list reads.
  await service.db.query(`
    begin;
    set local session_replication_role = replica;
    insert into memberships (company_id, account_id, search)
      select '${eve.company.id}', gen_random_uuid(), 'n' || n from generate_series(1, 50010) n;
    insert into membership_roles (company_id, account_id, role_id)
      select company_id, account_id, '${role}' from memberships where company_id = '${eve.company.id}';
    insert into membership_branches (company_id, account_id, branch_id)
      select company_id, account_id, '${branch.id}' from memberships
      where company_id = '${eve.company.id}' and account_id <> '${eve.id}';
    commit;
    analyze memberships, membership_roles, membership_branches`)
  const total = async (query: string) => (await eve.api.get(`${users}?branchId=${branch.id}${query}`)).body.total
  assert.equal(await total(''), 50_010)
  assert.equal(await total('&status=active'), 50_010)
  assert.equal(await total(`&roleId=${role}`), 50_010)
  assert.equal(await total('&search=n5000'), 11)
})
