import assert from 'node:assert/strict'
import { it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { addMember, join, rolesOf } from '../../../test/support/members.ts'
import { anyEmail, assertProblem, type Person, signUp } from '../../../test/support/people.ts'
import { newId } from '../../lib/ids.ts'

const service = await useTestApp()

const users = '/companies/users'

/** One company with a member of each system role. */
async function staff(): Promise<Record<'owner' | 'admin' | 'manager' | 'member', Person>> {
  const owner = await signUp(service.client)
  const [admin, manager, member] = await Promise.all(
    ['Admin', 'Manager', 'Member'].map(async (role) => join(owner, await signUp(service.client), [role])),
  )
  return { owner, admin, manager, member } as Record<'owner' | 'admin' | 'manager' | 'member', Person>
}

it('refuses to grant a role above the own one by adding, assigning or updating', async () => {
  const { owner, admin, manager, member } = await staff()
  const roles = await rolesOf(owner)
  const stranger = await signUp(service.client)
  const path = `/companies/${owner.company.id}/members`
  for (const [actor, above] of [
    [admin, ['Owner']],
    [manager, ['Owner', 'Admin']],
  ] as const) {
    for (const role of above) {
      const roleIds = [roles.Member, roles[role]]
      assertProblem(
        await actor.api.post(users, { name: 'X', email: anyEmail(), roleIds }),
        403,
        'grant_exceeds_permissions',
      )
      assertProblem(
        await actor.api.post(path, { userId: stranger.id, roleNames: [role.toLowerCase()] }),
        403,
        'grant_exceeds_permissions',
      )
      assertProblem(await actor.api.patch(`${users}/${member.id}`, { roleIds }), 403, 'grant_exceeds_permissions')
      assertProblem(await actor.api.patch(`${users}/${actor.id}`, { roleIds }), 403, 'grant_exceeds_permissions')
    }
  }
  // 403 comes before the 422 and the 404 about something else in the body.
  const roleIds = [roles.Owner, newId()]
  assertProblem(
    await admin.api.post(users, { name: 'X', email: anyEmail(), roleIds }),
    403,
    'grant_exceeds_permissions',
  )
  assertProblem(await admin.api.post(path, { userId: newId(), roleNames: ['Owner'] }), 403, 'grant_exceeds_permissions')
  const seen = (await owner.api.get('/auth/me')).body.data.companyRoles
  assert.deepEqual(seen[owner.company.id], ['Owner'])
})

it('refuses to act on members with more permissions, and allows it on equals and others', async () => {
  const { owner, admin, manager, member } = await staff()
  for (const target of [owner, admin]) {
    assertProblem(
      await manager.api.patch(`${users}/${target.id}`, { status: 'inactive' }),
      403,
      'target_exceeds_permissions',
    )
    assertProblem(await manager.api.patch(`${users}/${target.id}`, { phone: '1' }), 403, 'target_exceeds_permissions')
    assertProblem(await manager.api.post(`${users}/${target.id}/reset-password`), 403, 'target_exceeds_permissions')
    assertProblem(
      await manager.api.post(`${users}/${target.id}/reset-password-email`),
      403,
      'target_exceeds_permissions',
    )
  }
  assertProblem(await admin.api.delete(`${users}/${owner.id}`), 403, 'target_exceeds_permissions')
  assertProblem(
    await admin.api.delete(`/companies/${owner.company.id}/members/${owner.id}`),
    403,
    'target_exceeds_permissions',
  )
  assert.equal((await manager.api.patch(`${users}/${member.id}`, { phone: '1' })).status, 200)
  assert.equal((await manager.api.patch(`${users}/${manager.id}`, { phone: '2' })).status, 200)
  assert.equal((await admin.api.delete(`${users}/${manager.id}`)).status, 200)
  assert.equal((await admin.api.delete(`${users}/${admin.id}`)).status, 200, 'detaches themselves')
})

it('records refusals in the company with their reason', async () => {
  const { owner, admin } = await staff()
  await admin.api.delete(`${users}/${owner.id}`)
  const [record] = await service.db.query(`select * from audit_records where company_id = $1 and outcome <> 'done'`, [
    owner.company.id,
  ])
  assert.deepEqual(
    [record?.action, record?.outcome, record?.actor_id, record?.target_id],
    ['users.detach', 'target_exceeds_permissions', admin.id, owner.id],
  )
})

it('refuses to detach, remove, demote or deactivate the only owner', async () => {
  const ann = await signUp(service.client)
  const roles = await rolesOf(ann)
  const bob = await join(ann, await signUp(service.client), ['Owner'])
  await ann.api.patch(`${users}/${bob.id}`, { status: 'inactive' })
  const attempts = [
    () => ann.api.delete(`${users}/${ann.id}`),
    () => ann.api.delete(`/companies/${ann.company.id}/members/${ann.id}`),
    () => ann.api.patch(`${users}/${ann.id}`, { roleIds: [roles.Admin] }),
    () => ann.api.patch(`${users}/${ann.id}`, { status: 'inactive' }),
    () => ann.api.patch(`${users}/${ann.id}`, { status: 'inactive', roleIds: [roles.Owner] }),
  ]
  for (const attempt of attempts) assertProblem(await attempt(), 422, 'last_owner')
  await ann.api.patch(`${users}/${bob.id}`, { status: 'active' })
  assert.equal((await ann.api.delete(`${users}/${ann.id}`)).status, 200)
})

it('keeps one owner when two demote, deactivate or detach each other in parallel', async () => {
  const ann = await signUp(service.client)
  const roles = await rolesOf(ann)
  const bob = await join(ann, await signUp(service.client), ['Owner'])
  const ways = [
    (by: Person, target: Person) => by.api.delete(`${users}/${target.id}`),
    (by: Person, target: Person) => by.api.delete(`/companies/${ann.company.id}/members/${target.id}`),
    (by: Person, target: Person) => by.api.patch(`${users}/${target.id}`, { roleIds: [roles.Member] }),
    (by: Person, target: Person) => by.api.patch(`${users}/${target.id}`, { status: 'inactive' }),
    (by: Person) => by.api.delete(`${users}/${by.id}`),
    (by: Person) => by.api.patch(`${users}/${by.id}`, { status: 'inactive' }),
  ]
  for (let round = 0; round < 100; round++) {
    const [one, other] = [ways[round % 6], ways[(round * 5 + 1) % 6]] as [(typeof ways)[0], (typeof ways)[0]]
    const answers = await Promise.all([one(ann, bob), other(bob, ann)])
    const [row] = await service.db.query(
      `select count(*)::int as owners from membership_roles r join roles on roles.id = r.role_id
       join memberships m on m.company_id = r.company_id and m.account_id = r.account_id
       where r.company_id = $1 and roles.system_key = 'owner' and m.status = 'active'`,
      [ann.company.id],
    )
    assert.equal((row?.owners as number) >= 1, true, `round ${round}: ${answers.map(({ status }) => status)}`)
    await makeBothOwners(ann, bob, roles.Owner as string)
  }
})

/** Makes both active owners again, as superuser. */
async function makeBothOwners(ann: Person, bob: Person, ownerRole: string): Promise<void> {
  for (const { id } of [ann, bob]) {
    const values = [ann.company.id, id]
    await service.db.query(
      `insert into memberships (company_id, account_id) values ($1, $2) on conflict (company_id, account_id) do update set status = 'active'`,
      values,
    )
    await service.db.query(
      `insert into membership_roles (company_id, account_id, role_id) values ($1, $2, $3) on conflict do nothing`,
      [...values, ownerRole],
    )
  }
  await service.db.query(`update company_counters set active_members = 2, inactive_members = 0 where company_id = $1`, [
    ann.company.id,
  ])
}

it('checks permissions again in the transaction, so a demoted member grants nothing', async () => {
  const ann = await signUp(service.client)
  const roles = await rolesOf(ann)
  for (let round = 0; round < 20; round++) {
    const bob = await join(ann, await signUp(service.client), ['Admin'])
    const [demoted, added] = await Promise.all([
      ann.api.patch(`${users}/${bob.id}`, { roleIds: [roles.Member] }),
      bob.api.post(users, { name: 'X', email: anyEmail(), roleIds: [roles.Admin] }),
    ])
    assert.equal(demoted.status, 200)
    if (added.status !== 201) assertProblem(added, 403, 'permission_missing')
    const order = await service.db.query(
      `select action from audit_records where company_id = $1 and outcome = 'done' order by id desc limit 2`,
      [ann.company.id],
    )
    if (added.status === 201)
      assert.deepEqual(
        order.map(({ action }) => action),
        ['users.update', 'users.add'],
      )
  }
})

it('handles adding and detaching, and two updates of one member, in parallel', async () => {
  const ann = await signUp(service.client)
  const roles = await rolesOf(ann)
  const bob = await addMember(ann)
  for (let round = 0; round < 10; round++) {
    const answers = await Promise.all([
      ann.api.patch(`${users}/${bob.id}`, { roleIds: [roles.Manager] }),
      ann.api.patch(`${users}/${bob.id}`, { roleIds: [roles.Admin], status: 'inactive' }),
      ann.api.delete(`${users}/${bob.id}`),
      ann.api.post(users, { name: 'B', email: bob.email }),
    ])
    for (const { status } of answers) assert.ok([200, 201, 404, 409].includes(status), String(status))
    const [row] = await service.db.query(
      `select active_members + inactive_members as counted,
         (select count(*) from memberships where company_id = $1) as members,
         (select count(*) from memberships m where company_id = $1 and not exists (
           select from membership_roles r where r.company_id = m.company_id and r.account_id = m.account_id)) as without_role
       from company_counters where company_id = $1`,
      [ann.company.id],
    )
    assert.equal(row?.counted, row?.members)
    assert.equal(Number(row?.without_role), 0)
    await ann.api.post(users, { name: 'B', email: bob.email })
  }
})
