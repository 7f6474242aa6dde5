import assert from 'node:assert/strict'
import { it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { confirmFactor } from '../../../test/support/factors.ts'
import { addMember, createRole, join, rolesOf } from '../../../test/support/members.ts'
import { anyEmail, assertProblem, signUp } from '../../../test/support/people.ts'
import { newId } from '../../lib/ids.ts'

const service = await useTestApp()

const users = '/companies/users'
const changesOf = (action: string, id: string) =>
  service.db.query(`select outcome, changes from audit_records where action = $1 and target_id = $2 order by id`, [
    action,
    id,
  ])

it('deletes a role without members', async () => {
  const ann = await signUp(service.client)
  const role = await createRole(ann, 'Desk', ['users:read'])
  const { status, body } = await ann.api.delete(role.path)
  assert.deepEqual([status, body.data], [200, { id: role.id }])
  assertProblem(await ann.api.get(role.path), 404, 'role_not_found')
  assertProblem(await ann.api.delete(role.path), 404, 'role_not_found')
  assert.deepEqual(await changesOf('roles.delete', role.id), [
    { outcome: 'done', changes: { name: { from: 'Desk' }, permissions: { from: ['users:read'] } } },
  ])
  await createRole(ann, 'Desk')
})

it('refuses to delete a role with members, and returns their number', async () => {
  const ann = await signUp(service.client)
  const role = await createRole(ann, 'Desk')
  const bob = await addMember(ann, { roles: ['Desk'] })
  await addMember(ann, { roles: ['Desk', 'Member'] })
  await ann.api.patch(`${users}/${bob.id}`, { status: 'inactive' })
  for (const query of ['', '?dryRun=true', '?dryRun=false']) {
    const answer = await ann.api.delete(role.path + query)
    assertProblem(answer, 409, 'role_in_use')
    assert.equal(answer.body.count, 2)
  }
  assert.equal((await ann.api.get(role.path)).body.data.memberCount, 2)
  assert.deepEqual((await changesOf('roles.delete', role.id))[0], { outcome: 'role_in_use', changes: {} })
})

it('replaces the role for all its members', async () => {
  const ann = await signUp(service.client)
  const [role, replacement] = [
    await createRole(ann, 'Desk', ['users:read']),
    await createRole(ann, 'Clerk', ['branches:read']),
  ]
  const held = { only: ['Desk'], both: ['Desk', 'Clerk'], more: ['Desk', 'Member'], none: ['Member'] }
  const people = new Map<string, string>()
  for (const [who, roles] of Object.entries(held)) people.set(who, (await addMember(ann, { name: who, roles })).id)
  await ann.api.patch(`${users}/${people.get('only')}`, { status: 'inactive' })

  const { status, body } = await ann.api.delete(`${role.path}?reassignTo=${replacement.id.toUpperCase()}`)
  assert.deepEqual([status, body.data], [200, { id: role.id }])
  const { data } = (await ann.api.get(users)).body
  const now = Object.fromEntries(data.map(({ name, roles }: { name: string; roles: string[] }) => [name, roles]))
  assert.deepEqual(
    { only: now.only, both: now.both, more: now.more, none: now.none },
    { only: ['Clerk'], both: ['Clerk'], more: ['Clerk', 'Member'], none: ['Member'] },
  )
  assert.equal((await ann.api.get(replacement.path)).body.data.memberCount, 3)
  assert.deepEqual((await changesOf('roles.delete', role.id))[0]?.changes, {
    name: { from: 'Desk' },
    permissions: { from: ['users:read'] },
    reassigned_to: { to: 'Clerk' },
    reassigned_members: { to: 3 },
  })
})

it('refuses to reassign to itself, to an unknown role and to a malformed id', async () => {
  const ann = await signUp(service.client)
  const role = await createRole(ann, 'Desk')
  await addMember(ann, { roles: ['Desk'] })
  assertProblem(await ann.api.delete(`${role.path}?reassignTo=${role.id}`), 422, 'role_reassigned_to_itself')
  assertProblem(await ann.api.delete(`${role.path}?reassignTo=${newId()}`), 422, 'role_unknown')
  for (const query of [
    'reassignTo=x',
    'reassignTo=',
    'reassignTo=Member',
    `reassignTo=${newId()}&reassignTo=${newId()}`,
  ])
    assertProblem(await ann.api.delete(`${role.path}?${query}`), 400, 'validation_failed')
  for (const query of ['dryRun=', 'dryRun=1', 'dryRun=TRUE', 'dryRun=true&dryRun=true', 'dryRun=true%00']) {
    assertProblem(await ann.api.delete(`${role.path}?${query}`), 400, 'validation_failed')
    assertProblem(await ann.api.patch(`${role.path}?${query}`, { name: 'X' }), 400, 'validation_failed')
  }
  assert.equal((await ann.api.get(role.path)).body.data.name, 'Desk')
})

it('leaves no member with a deleted role when twenty are added with it in parallel', async () => {
  const ann = await signUp(service.client)
  for (let round = 0; round < 4; round++) {
    const role = await createRole(ann, `Desk ${round}`)
    const query = round % 2 ? `?reassignTo=${(await rolesOf(ann)).Member}` : ''
    const adding = Array.from({ length: 20 }, () =>
      ann.api.post(users, { name: 'B', email: anyEmail(), roleIds: [role.id] }),
    )
    const [deleted, ...added] = await Promise.all([ann.api.delete(role.path + query), ...adding])
    for (const answer of added) if (answer.status !== 201) assertProblem(answer, 422, 'role_unknown')
    const count = added.filter(({ status }) => status === 201).length
    if (deleted.status !== 200) {
      assertProblem(deleted, 409, 'role_in_use')
      assert.equal((await ann.api.get(role.path)).body.data.memberCount, count)
    }
    const [row] = await service.db.query(
      `select count(*)::int as without from memberships m where company_id = $1 and not exists (
         select from membership_roles r where r.company_id = m.company_id and r.account_id = m.account_id)`,
      [ann.company.id],
    )
    assert.equal(row?.without, 0)
  }
})

it('deletes a role once with twenty parallel requests, also while it is assigned and reassigned', async () => {
  const ann = await signUp(service.client)
  const all = await rolesOf(ann)
  const [role, replacement] = [await createRole(ann, 'Desk'), await createRole(ann, 'Clerk')]
  const bob = await join(ann, await signUp(service.client), ['Desk'])
  const deleting = Array.from({ length: 20 }, () => ann.api.delete(`${role.path}?reassignTo=${replacement.id}`))
  const assigning = Array.from({ length: 10 }, (_, i) =>
    ann.api.patch(`${users}/${bob.id}`, { roleIds: i % 2 ? [role.id] : [all.Member, role.id] }),
  )
  const answers = await Promise.all(deleting)
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(19).fill(404)])
  for (const answer of await Promise.all(assigning))
    if (answer.status !== 200) assertProblem(answer, 422, 'role_unknown')
  const { roles } = (await ann.api.get(`${users}?search=${bob.email}`)).body.data[0]
  assert.ok(roles.length > 0 && !roles.includes('Desk'), String(roles))
})

it('reassigns to the role Owner only for an owner, and never ends an ownership', async () => {
  const ann = await signUp(service.client)
  const all = await rolesOf(ann)
  const role = await createRole(ann, 'Desk', ['users:read'])
  const bob = await join(ann, await signUp(service.client), ['Desk'])
  const admin = await join(ann, await signUp(service.client), ['Admin'])
  assertProblem(await admin.api.delete(`${role.path}?reassignTo=${all.Owner}`), 403, 'grant_exceeds_permissions')
  assert.equal((await ann.api.delete(`${role.path}?reassignTo=${all.Owner}`)).status, 200)
  assert.deepEqual((await bob.api.get('/auth/me')).body.data.companyRoles[ann.company.id], ['Owner'])
  assert.equal((await bob.api.delete(`${users}/${ann.id}`)).status, 200)
  assertProblem(await bob.api.delete(`${users}/${bob.id}`), 422, 'last_owner')
})

it('takes from the own account, or is edited to, only in a fresh session where the account has a second factor', async () => {
  const ann = await signUp(service.client)
  const editing = ['users:read', 'roles:read', 'roles:update', 'roles:delete']
  const role = await createRole(ann, 'Boss', editing)
  const ben = await join(ann, await signUp(service.client), ['Boss'])
  await confirmFactor(service.db, ben.id)
  const { id: less } = await createRole(ann, 'Less', ['users:read'])
  const attempts = [
    () => ben.api.patch(role.path, { permissions: ['users:read'] }),
    () => ben.api.delete(`${role.path}?reassignTo=${less}`),
  ]
  for (const attempt of attempts) assertProblem(await attempt(), 403, 'reauthentication_required')
  assert.equal((await ben.api.patch(role.path, { description: 'Of shifts' })).status, 200)
  await service.db.query('update sessions set second_factor_at = now() where account_id = $1', [ben.id])
  assert.equal((await ben.api.delete(`${role.path}?reassignTo=${less}`)).status, 200)
})
