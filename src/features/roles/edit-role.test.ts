import assert from 'node:assert/strict'
import { it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { type CustomRole, createRole, join, joinWith, rolesOf } from '../../../test/support/members.ts'
import { assertProblem, type Person, signUp } from '../../../test/support/people.ts'

const service = await useTestApp()

const roles = '/companies/roles'
const keys = ['roles:read', 'roles:create', 'roles:update', 'roles:delete']

/** An owner, and a clerk with all permissions for roles and few others. */
async function ownerAndClerk(more: string[] = ['users:read']): Promise<{ ann: Person; clerk: Person }> {
  const ann = await signUp(service.client)
  return { ann, clerk: await joinWith(ann, await signUp(service.client), [...keys, ...more]) }
}

const recordsOf = ({ id }: CustomRole) =>
  service.db.query(`select action, outcome, changes from audit_records where target_id = $1 order by id`, [id])
const heldBy = async (person: Person): Promise<string[]> =>
  (await person.api.get('/auth/me')).body.data.companyPermissions[person.company.id] ?? []

it('changes only the sent fields, immediately for every member, and records the changes', async () => {
  const ann = await signUp(service.client)
  const role = await createRole(ann, 'Desk', ['users:read', 'roles:read'])
  const bob = await join(ann, await signUp(service.client), ['Desk'])
  const before = (await ann.api.get(role.path)).body.data
  assert.deepEqual((await ann.api.patch(role.path, {})).body.data, before)
  assert.deepEqual(
    (await ann.api.patch(role.path, { name: 'Desk', permissions: ['roles:read', 'users:read'] })).body.data,
    before,
  )

  const version = (await bob.api.get(roles)).headers.get('x-permissions-version')
  const permissions = ['branches:read', 'roles:read']
  const { status, body } = await ann.api.patch(role.path, { name: 'Front', permissions })
  assert.equal(status, 200)
  assert.deepEqual(
    { ...body.data, updated_at: 0 },
    { ...before, name: 'Front', permissions: ['branches:read', 'roles:read'], updated_at: 0 },
  )
  assert.ok(body.data.updated_at > before.updated_at)
  assert.deepEqual(await heldBy(bob), permissions)
  assertProblem(await bob.api.get('/companies/users'), 403, 'permission_missing')
  assert.notEqual((await bob.api.get(roles)).headers.get('x-permissions-version'), version)

  await ann.api.patch(role.path, { description: 'New' })
  assert.equal((await ann.api.patch(role.path, { description: null })).body.data.description, '')
  assert.deepEqual((await recordsOf(role)).map(({ action, changes }) => [action, changes]).slice(1), [
    [
      'roles.update',
      {
        name: { from: 'Desk', to: 'Front' },
        permissions_added: { to: ['branches:read'] },
        permissions_removed: { from: ['users:read'] },
      },
    ],
    ['roles.update', { description: { from: '', to: 'New' } }],
    ['roles.update', { description: { from: 'New', to: '' } }],
  ])
})

it('refuses to change system roles, and records the attempt', async () => {
  const { ann, clerk } = await ownerAndClerk()
  const all = await rolesOf(ann)
  const before = (await ann.api.get(`${roles}?isSystem=true`)).body.data
  for (const name of ['Owner', 'Admin', 'Manager', 'Member'])
    for (const by of [ann, clerk]) {
      const path = `${roles}/${all[name]}`
      for (const change of [{}, { name: 'X' }, { description: 'X' }, { permissions: [] }])
        assertProblem(await by.api.patch(path, change), 422, 'system_role')
      for (const query of ['', '?dryRun=true', `?reassignTo=${all.Member}`])
        assertProblem(await by.api.delete(path + query), 422, 'system_role')
    }
  assert.deepEqual((await ann.api.get(`${roles}?isSystem=true`)).body.data, before)
  const [record] = await service.db.query(
    `select outcome, actor_id from audit_records where target_id = $1 and action = 'roles.delete' limit 1`,
    [all.Owner],
  )
  assert.deepEqual(record, { outcome: 'system_role', actor_id: ann.id })
})

it('refuses creating, changing, deleting or assigning a role beyond the own permissions', async () => {
  const { ann, clerk } = await ownerAndClerk()
  const all = await rolesOf(ann)
  const own = await createRole(clerk, 'Own', ['users:read'])
  const low = await createRole(ann, 'Low', ['branches:read'])
  const high = await createRole(ann, 'High', ['users:read', 'companies:delete'])
  await join(ann, await signUp(service.client), ['Own'])
  const ownRoleId = (await rolesOf(ann))[`Role of ${clerk.id}`]
  const held = await heldBy(clerk)

  const gives = [
    () => clerk.api.post(roles, { name: 'Up', permissions: ['users:delete'] }),
    () => clerk.api.post(roles, { name: 'Up', permissions: [...held, 'audit:read'] }),
    () => clerk.api.patch(own.path, { permissions: ['users:read', 'users:update'] }),
    () => clerk.api.patch(`${roles}/${ownRoleId}`, { permissions: [...held, 'companies:update'] }),
    () => clerk.api.delete(`${own.path}?reassignTo=${all.Admin}`),
    () => clerk.api.delete(`${own.path}?reassignTo=${all.Owner}`),
    () => clerk.api.delete(`${own.path}?reassignTo=${high.id}`),
    () => clerk.api.delete(`${roles}/${ownRoleId}?reassignTo=${all.Manager}`),
  ]
  for (const [i, attempt] of gives.entries()) {
    const answer = await attempt()
    assertProblem(answer, 403, 'grant_exceeds_permissions')
    assert.ok(answer.body.message, `attempt ${i}`)
  }
  const upward = [
    () => clerk.api.patch(low.path, { permissions: [] }),
    () => clerk.api.patch(high.path, { permissions: ['users:read'] }),
    () => clerk.api.patch(high.path, { name: 'Higher' }),
    () => clerk.api.patch(high.path, { description: 'Higher' }),
    () => clerk.api.delete(high.path),
    () => clerk.api.delete(`${high.path}?reassignTo=${own.id}`),
  ]
  for (const attempt of upward) assertProblem(await attempt(), 403, 'target_exceeds_permissions')
  assert.deepEqual(await heldBy(clerk), held)

  assert.equal((await clerk.api.patch(own.path, { permissions: ['roles:read'] })).status, 200)
  assert.equal((await clerk.api.post(roles, { name: 'All I hold', permissions: held })).status, 201)
})

it('refuses a change of a role that would change the permissions of a member with more of them', async () => {
  const { ann, clerk } = await ownerAndClerk(['users:read', 'branches:read'])
  const desk = await createRole(clerk, 'Desk', ['branches:read'])
  const auditor = await createRole(ann, 'Auditor', ['audit:read', 'users:read'])
  const bob = await join(ann, await signUp(service.client), ['Desk', 'Auditor'])
  const wishes = [[], ['users:read'], ['branches:read', 'roles:read']]
  for (const permissions of wishes) {
    assertProblem(await clerk.api.patch(desk.path, { permissions }), 403, 'target_exceeds_permissions')
    assertProblem(await clerk.api.patch(`${desk.path}?dryRun=true`, { permissions }), 403, 'target_exceeds_permissions')
  }
  assert.deepEqual(await heldBy(bob), ['audit:read', 'branches:read', 'users:read'])
  // Permissions that another role of the member grants do not change.
  assert.equal((await clerk.api.patch(desk.path, { permissions: ['branches:read', 'users:read'] })).status, 200)
  assert.equal((await clerk.api.patch(desk.path, { permissions: ['branches:read'] })).status, 200)
  assert.equal((await clerk.api.patch(desk.path, { name: 'Front' })).status, 200)
  // Deleting the role would still take it from the member.
  for (const query of [`?reassignTo=${(await rolesOf(ann)).Member}`, `?reassignTo=${desk.id}`, '?dryRun=true'])
    assertProblem(await clerk.api.delete(desk.path + query), 403, 'target_exceeds_permissions')
  assertProblem(await clerk.api.delete(desk.path), 403, 'target_exceeds_permissions')
  // Inactive members count, because they can be activated again.
  await ann.api.patch(`/companies/users/${bob.id}`, { status: 'inactive' })
  assertProblem(await clerk.api.patch(desk.path, { permissions: [] }), 403, 'target_exceeds_permissions')
  assert.equal((await ann.api.patch(auditor.path, { permissions: [] })).status, 200)
  assert.equal((await clerk.api.patch(desk.path, { permissions: [] })).status, 200)
})

it('lets others edit a role of an owner, which changes none of its permissions, but not delete it', async () => {
  const { ann, clerk } = await ownerAndClerk()
  const desk = await createRole(clerk, 'Desk', ['users:read'])
  const all = await rolesOf(ann)
  await ann.api.patch(`/companies/users/${ann.id}`, { roleIds: [all.Owner, desk.id] })
  assert.equal((await clerk.api.patch(desk.path, { permissions: ['roles:read'] })).status, 200)
  const other = await createRole(clerk, 'Other')
  assertProblem(await clerk.api.delete(`${desk.path}?reassignTo=${other.id}`), 403, 'target_exceeds_permissions')
  assert.equal((await ann.api.delete(`${desk.path}?reassignTo=${other.id}`)).status, 200)
})

it('lets an actor remove the own permissions, from the next request on', async () => {
  const { ann, clerk } = await ownerAndClerk()
  const own = (await rolesOf(ann))[`Role of ${clerk.id}`]
  assert.equal((await clerk.api.patch(`${roles}/${own}`, { permissions: ['users:read'] })).status, 200)
  assertProblem(await clerk.api.patch(`${roles}/${own}`, { permissions: keys }), 403, 'permission_missing')
})

it('accepts one of twenty parallel updates with one ETag', async () => {
  const ann = await signUp(service.client)
  const role = await createRole(ann, 'Desk')
  for (let round = 0; round < 3; round++) {
    const etag = (await ann.api.get(role.path)).headers.get('etag') as string
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        ann.api.patch(role.path, { description: `${round}.${i}` }, { headers: { 'if-match': etag } }),
      ),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(19).fill(412)])
    const saved = answers.find(({ status }) => status === 200)
    assert.deepEqual((await ann.api.get(role.path)).body.data, saved?.body.data)
  }
  assert.equal((await recordsOf(role)).filter(({ outcome }) => outcome === 'done').length, 4)
})

it('checks permissions again in the transaction, so a demoted editor changes nothing', async () => {
  const ann = await signUp(service.client)
  const role = await createRole(ann, 'Desk')
  const all = await rolesOf(ann)
  for (let round = 0; round < 15; round++) {
    const bob = await join(ann, await signUp(service.client), ['Admin'])
    const [demoted, edited, made] = await Promise.all([
      ann.api.patch(`/companies/users/${bob.id}`, { roleIds: [all.Member] }),
      bob.api.patch(role.path, { description: `${round}` }),
      bob.api.post(roles, { name: `By ${bob.id}`, permissions: ['audit:read'] }),
    ])
    assert.equal(demoted.status, 200)
    const order = (
      await service.db.query(
        `select action from audit_records where company_id = $1 and outcome = 'done' order by id desc limit 3`,
        [ann.company.id],
      )
    ).map(({ action }) => action)
    for (const [answer, action] of [
      [edited, 'roles.update'],
      [made, 'roles.create'],
    ] as const) {
      if (answer.status >= 300) assertProblem(answer, 403, 'permission_missing')
      else assert.ok(order.indexOf(action) > order.indexOf('users.update'), `${order}`)
    }
  }
})

it('grants at most what the editor has at the moment of the write, when its own role is reduced in parallel', async () => {
  const ann = await signUp(service.client)
  for (let round = 0; round < 10; round++) {
    const powers = await createRole(ann, `Powers ${round}`, [...keys, 'audit:read'])
    const target = await createRole(ann, `Target ${round}`)
    const bob = await join(ann, await signUp(service.client), [`Powers ${round}`])
    const [shrunk, given] = await Promise.all([
      ann.api.patch(powers.path, { permissions: keys }),
      bob.api.patch(target.path, { permissions: ['audit:read'] }),
    ])
    assert.equal(shrunk.status, 200)
    const { permissions } = (await ann.api.get(target.path)).body.data
    if (given.status === 200) {
      const order = await service.db.query(
        `select target_id from audit_records where target_id = any ($1) and action = 'roles.update' order by id`,
        [[target.id, powers.id]],
      )
      assert.deepEqual([permissions, order[0]?.target_id], [['audit:read'], target.id])
    } else {
      assertProblem(given, 403, 'grant_exceeds_permissions')
      assert.deepEqual(permissions, [])
    }
  }
})
