import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { createRole, join, link, rolesOf } from '../../../test/support/members.ts'
import { anyEmail, assertProblem, PASSWORD, type Person, signUp } from '../../../test/support/people.ts'
import {
  assertCounted,
  createCrowdedRole,
  createReplacedRole,
  type ReplacedRole,
  rowsLeft,
  runRolesWorker,
} from '../../../test/support/replaced-roles.ts'

const service = await useTestApp()
const users = '/companies/users'
const roles = '/companies/roles'

const memberCountOf = async (by: Person, path: string) => (await by.api.get(path)).body.data.memberCount
const totalOf = async (by: Person, path: string) => (await by.api.get(path)).body.total

/** What ann and bob see of bob's roles everywhere. */
async function seenOf({ ann, bob, clerk }: ReplacedRole) {
  const { data: me } = (await bob.api.get('/auth/me')).body
  const [own] = (await bob.api.get('/companies')).body.data.filter(({ id }: { id: string }) => id === ann.company.id)
  const [listed] = (await ann.api.get(`${users}?search=${bob.email}`)).body.data
  const explained = await ann.api.get(`/companies/permissions/explain?userId=${bob.id}&permission=branches:read`)
  const [elsewhere] = (await ann.api.get(`${users}/${bob.id}/companies`)).body.data
  const member = await ann.api.get(`${users}/${bob.id}`)
  return {
    me: [me.companyRoles[ann.company.id], me.companyPermissions[ann.company.id]],
    companies: own.roles,
    list: [listed.roles, listed.roleIds],
    member: [member.body.data.roles, member.headers.get('etag')],
    explained: explained.body.data.roles,
    elsewhere: elsewhere.roles,
    roles: (await ann.api.get(`${roles}?isSystem=false`)).body.data.map(({ name }: { name: string }) => name),
    counts: [await memberCountOf(ann, clerk.path), await totalOf(ann, `${clerk.path}/members`)],
    filtered: [
      await totalOf(ann, `${users}?roleId=${clerk.id}`),
      await totalOf(ann, `${users}?roleId=${clerk.id}&search=crowd`),
    ],
  }
}

describe('a role that many members had', () => {
  it('gives what its replacement gives at once, on every kind of route', async () => {
    const company = await createReplacedRole(service)
    const { ann, bob, desk, clerk, count } = company
    assertProblem(await bob.api.get(users), 403, 'permission_missing')
    assertProblem(await bob.api.patch(`${users}/${bob.id}`, { phone: '1' }), 403, 'permission_missing')
    assert.equal((await bob.api.get('/companies/branches')).status, 200)
    assert.equal((await bob.api.post('/companies/branches', { name: 'North' })).status, 201)
    const between = await seenOf(company)
    const { member, ...seen } = between
    assert.deepEqual(seen, {
      me: [['Clerk'], ['branches:create', 'branches:read']],
      companies: ['Clerk'],
      list: [['Clerk'], [clerk.id]],
      explained: [{ id: clerk.id, name: 'Clerk' }],
      elsewhere: ['Clerk'],
      roles: ['Clerk'],
      counts: [count, count],
      filtered: [count, count - 1],
    })
    assert.deepEqual(member[0], ['Clerk'])
    assert.equal(await totalOf(ann, `${users}?roleId=${desk.id}`), 0)
    await assertCounted(service, ann)

    await runRolesWorker(service)
    assert.equal(await rowsLeft(service, ann), 0)
    assert.deepEqual(await seenOf(company), between)
    await assertCounted(service, ann)
  })

  it('is gone for every request that names it, and its name is free', async () => {
    const { ann, bob, desk, clerk } = await createReplacedRole(service)
    for (const answer of [await ann.api.get(desk.path), await ann.api.get(`${desk.path}/members`)])
      assertProblem(answer, 404, 'role_not_found')
    assertProblem(await ann.api.patch(desk.path, { name: 'X' }), 404, 'role_not_found')
    assertProblem(await ann.api.delete(`${desk.path}?reassignTo=${clerk.id}`), 404, 'role_not_found')
    assertProblem(await ann.api.delete(`${clerk.path}?reassignTo=${desk.id}`), 422, 'role_unknown')
    assertProblem(await ann.api.patch(`${users}/${bob.id}`, { roleIds: [desk.id] }), 422, 'role_unknown')
    const body = { name: 'Eve', email: anyEmail() }
    assertProblem(await ann.api.post(users, { ...body, roleIds: [desk.id] }), 422, 'role_unknown')

    const again = await createRole(ann, 'Desk', ['audit:read'])
    assert.equal(await memberCountOf(ann, again.path), 0)
    await join(ann, await signUp(service.client), ['desk'])
    assert.equal(await memberCountOf(ann, again.path), 1)
    assertProblem(await ann.api.post(roles, { name: 'clerk', permissions: [] }), 409, 'role_name_taken')
    await runRolesWorker(service)
    assert.equal(await memberCountOf(ann, again.path), 1)
  })

  it('follows every change of its replacement, which counts all members', async () => {
    const { ann, bob, clerk, count } = await createReplacedRole(service)
    const change = { name: 'Office', permissions: ['audit:read'] }
    const { impact } = (await ann.api.patch(`${clerk.path}?dryRun=true`, change)).body.data
    assert.deepEqual(
      [impact.memberCount, impact.gaining[0].memberCount, impact.gaining[0].members.length, impact.losing.length],
      [count, count, 100, 2],
    )
    assert.equal((await ann.api.patch(clerk.path, change)).body.data.memberCount, count)
    const { data } = (await bob.api.get('/auth/me')).body
    assert.deepEqual(
      [data.companyRoles[ann.company.id], data.companyPermissions[ann.company.id]],
      [['Office'], ['audit:read']],
    )
    assertProblem(await ann.api.delete(clerk.path), 409, 'role_in_use')
  })

  it('is replaced again when its replacement is deleted, and refuses to vanish with members', async () => {
    const company = await createReplacedRole(service)
    const { ann, bob, clerk, count } = company
    const refused = await ann.api.delete(clerk.path)
    assertProblem(refused, 409, 'role_in_use')
    assert.equal(refused.body.count, count)
    const last = await createRole(ann, 'Last', ['roles:read'])
    const preview = (await ann.api.delete(`${clerk.path}?reassignTo=${last.id}&dryRun=true`)).body.data.impact
    assert.equal(preview.memberCount, count)
    assert.equal((await ann.api.delete(`${clerk.path}?reassignTo=${last.id}`)).status, 200)
    for (const batches of [0, 2, Infinity]) {
      await runRolesWorker(service, { batches })
      assert.deepEqual((await bob.api.get('/auth/me')).body.data.companyRoles[ann.company.id], ['Last'])
      assert.equal(await memberCountOf(ann, last.path), count)
      assertProblem(await ann.api.get(clerk.path), 404, 'role_not_found')
      await assertCounted(service, ann)
    }
    assert.equal(await rowsLeft(service, ann), 0)
  })

  it('leaves each member who is changed or detached meanwhile with the wanted roles, and exact counts', async () => {
    const { ann, bob, clerk, count } = await createReplacedRole(service)
    const all = await rolesOf(ann)
    const both = (await ann.api.get(`${users}?roleId=${clerk.id}&search=crowd&limit=20`)).body.data
    const etag = (await ann.api.get(`${users}/${bob.id}`)).headers.get('etag')
    assert.equal((await ann.api.patch(`${users}/${bob.id}`, { roleIds: [clerk.id] })).status, 200)
    assert.equal((await ann.api.get(`${users}/${bob.id}`)).headers.get('etag'), etag)
    const rolesAfter = async (roleIds: (string | undefined)[]) => {
      const { data } = (await ann.api.patch(`${users}/${bob.id}`, { roleIds })).body
      await assertCounted(service, ann)
      return data.roles
    }
    assert.deepEqual(await rolesAfter([clerk.id, all.Member]), ['Clerk', 'Member'])
    assert.deepEqual(await rolesAfter([all.Member]), ['Member'])
    assert.deepEqual(await rolesAfter([clerk.id]), ['Clerk'])
    for (const { id } of both) assert.equal((await ann.api.delete(`${users}/${id}`)).status, 200)
    assert.equal(await memberCountOf(ann, clerk.path), count - both.length)
    await assertCounted(service, ann)
    await runRolesWorker(service)
    assert.equal(await memberCountOf(ann, clerk.path), count - both.length)
    const records = await service.db.query(
      `select changes from audit_records where company_id = $1 and action = 'users.update' order by id`,
      [ann.company.id],
    )
    assert.deepEqual(
      records.map(({ changes }) => [changes.roles.from, changes.roles.to]),
      [
        [['Clerk'], ['Clerk', 'Member']],
        [['Clerk', 'Member'], ['Member']],
        [['Member'], ['Clerk']],
      ],
    )
  })

  it('counts as the owner role when that replaces it', async () => {
    const { ann, bob, desk } = await createCrowdedRole(service)
    const all = await rolesOf(ann)
    const clerk = await link(ann, await signUp(service.client), ['Clerk'])
    const admin = await join(ann, await signUp(service.client), ['Admin'])
    assertProblem(await admin.api.delete(`${desk.path}?reassignTo=${all.Owner}`), 403, 'grant_exceeds_permissions')
    assert.equal((await ann.api.delete(`${desk.path}?reassignTo=${all.Owner}`)).status, 200)
    assertProblem(await admin.api.patch(`${users}/${bob.id}`, { phone: '1' }), 403, 'target_exceeds_permissions')
    assert.equal((await bob.api.delete(`${users}/${ann.id}`)).status, 200)
    assertProblem(await bob.api.patch(`${users}/${bob.id}`, { roleIds: [all.Member] }), 422, 'last_owner')

    const transfer = `/companies/${ann.company.id}/ownership-transfer`
    assertProblem(await bob.api.post(transfer, { userId: bob.id }), 422, 'already_owner')
    assert.equal((await clerk.api.get(`/companies/${ann.company.id}`)).status, 200)
    assert.equal((await bob.api.post(transfer, { userId: clerk.id })).status, 201)
    assert.equal((await clerk.api.post(`${transfer}/accept`, { currentPassword: PASSWORD })).status, 200)
    assert.deepEqual((await bob.api.get('/auth/me')).body.data.companyRoles[ann.company.id], ['Admin'])
    for (const batches of [2, Infinity]) {
      await runRolesWorker(service, { batches })
      await assertCounted(service, ann)
    }
    assertProblem(await clerk.api.post(`/companies/${ann.company.id}/leave`), 422, 'last_owner')
  })
})
