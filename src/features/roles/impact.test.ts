import assert from 'node:assert/strict'
import { it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { addMember, createRole, joinWith, rolesOf } from '../../../test/support/members.ts'
import { assertProblem, type Person, signUp } from '../../../test/support/people.ts'

const service = await useTestApp()

interface Part {
  permission: string
  memberCount: number
  members?: { name: string }[]
}
const short = (parts: Part[]) =>
  Object.fromEntries(parts.map(({ permission, members }) => [permission, members?.map(({ name }) => name).sort()]))

/** All rows of a company except records of refusals. */
async function stateOf({ company }: Person): Promise<unknown[]> {
  const tables = ['roles', 'membership_roles', 'role_counters', 'memberships', 'company_counters']
  const state = []
  for (const table of tables)
    state.push(await service.db.query(`select * from ${table} where company_id = $1 order by 1, 2, 3`, [company.id]))
  const done = `select id from audit_records where company_id = $1 and outcome = 'done'`
  return [...state, await service.db.query(done, [company.id])]
}

it('returns who would gain and lose which permissions by a change, and changes nothing', async () => {
  const ann = await signUp(service.client)
  const role = await createRole(ann, 'Desk', ['users:read', 'branches:read', 'audit:read'])
  await createRole(ann, 'Auditor', ['audit:read', 'roles:update'])
  await addMember(ann, { name: 'Only', roles: ['Desk'] })
  await addMember(ann, { name: 'Ann too', roles: ['Desk', 'Auditor'] })
  await addMember(ann, { name: 'Covered', roles: ['Desk', 'Admin'] })
  await addMember(ann, { name: 'Member', roles: ['Desk', 'Member'] })
  await addMember(ann, { name: 'Else', roles: ['Auditor'] })
  const before = await stateOf(ann)
  const { data: now } = (await ann.api.get(role.path)).body

  const change = { name: 'Front', permissions: ['branches:read', 'roles:update', 'roles:read'] }
  const { status, headers, body } = await ann.api.patch(`${role.path}?dryRun=true`, change)
  assert.equal(status, 200)
  const { impact, ...rest } = body.data
  assert.deepEqual(rest, { ...now, name: 'Front', permissions: ['branches:read', 'roles:read', 'roles:update'] })
  assert.equal(headers.get('etag'), null, 'what would be has no version')
  assert.deepEqual(short(impact.gaining), { 'roles:read': ['Ann too', 'Only'], 'roles:update': ['Member', 'Only'] })
  assert.deepEqual(short(impact.losing), { 'users:read': ['Ann too', 'Only'], 'audit:read': ['Member', 'Only'] })
  assert.deepEqual(
    [...impact.gaining, ...impact.losing].map(({ memberCount }: Part) => memberCount),
    [2, 2, 2, 2],
  )
  assert.equal(impact.memberCount, 3)
  assert.deepEqual(Object.keys(impact.gaining[0].members[0]).sort(), ['email', 'id', 'name'])
  assert.deepEqual(await stateOf(ann), before)

  const saved = await ann.api.patch(`${role.path}?dryRun=false`, change)
  assert.equal('impact' in saved.body.data, false)
  assert.deepEqual(saved.body.data.permissions, rest.permissions)
})

it('returns exactly the effects of the real change', async () => {
  const ann = await signUp(service.client)
  const names = ['users:read', 'branches:read', 'audit:read', 'roles:read', 'roles:update', 'users:delete']
  const pick = (seed: number) => names.filter((_, i) => (seed >> i) & 1)
  const role = await createRole(ann, 'Desk', pick(21))
  for (let i = 0; i < 6; i++) await createRole(ann, `R${i}`, pick(11 * i + 3))
  const ids: string[] = []
  for (let i = 0; i < 12; i++)
    ids.push(
      (await addMember(ann, { name: `P${i}`, roles: ['Desk', `R${i % 6}`, ...(i % 3 ? [] : [`R${(i + 1) % 6}`])] })).id,
    )
  const held = async () => {
    const rows = await service.db.query<{ id: string; held: string[] }>(
      `select account_id as id, array_agg(distinct p) as held from membership_roles
       join roles on roles.id = role_id cross join unnest(permissions) p where roles.company_id = $1 group by 1`,
      [ann.company.id],
    )
    return new Map(rows.map(({ id, held }) => [id, held]))
  }
  const permissionsOf = (parts: { permission: string; members: { id: string }[] }[]) =>
    parts.flatMap(({ permission, members }) => members.map(({ id }) => `${id} ${permission}`)).sort()
  const difference = (a: Map<string, string[]>, b: Map<string, string[]>) =>
    ids.flatMap((id) => (a.get(id) ?? []).filter((p) => !b.get(id)?.includes(p)).map((p) => `${id} ${p}`)).sort()

  const steps = [
    (query: string) => ann.api.patch(role.path + query, { permissions: pick(42) }),
    (query: string) => ann.api.patch(role.path + query, { permissions: pick(63) }),
    (query: string) => ann.api.patch(role.path + query, { permissions: [] }),
    (query: string) => ann.api.patch(role.path + query, { permissions: pick(37) }),
    async (query: string) => ann.api.delete(`${role.path}${query}&reassignTo=${(await rolesOf(ann)).R3}`),
  ]
  for (const step of steps) {
    const before = await held()
    const { impact } = (await step('?dryRun=true')).body.data
    assert.deepEqual(await held(), before)
    assert.equal((await step('?dryRun=false')).status, 200)
    const after = await held()
    assert.deepEqual(permissionsOf(impact.gaining), difference(after, before))
    assert.deepEqual(permissionsOf(impact.losing), difference(before, after))
    const touched = new Set(
      [...difference(after, before), ...difference(before, after)].map((line) => line.split(' ')[0]),
    )
    assert.equal(impact.memberCount, touched.size)
  }
})

it('returns the effects of a deletion, which are empty for a role without members', async () => {
  const ann = await signUp(service.client)
  const [role, replacement] = [
    await createRole(ann, 'Desk', ['users:read', 'audit:read']),
    await createRole(ann, 'Replacement', ['users:read', 'roles:read']),
  ]
  assert.deepEqual((await ann.api.delete(`${role.path}?dryRun=true`)).body.data, {
    id: role.id,
    impact: { memberCount: 0, gaining: [], losing: [], joiningCount: 0 },
  })
  await addMember(ann, { name: 'Only', roles: ['Desk'] })
  await addMember(ann, { name: 'Both', roles: ['Desk', 'Replacement'] })
  const before = await stateOf(ann)
  const { status, body } = await ann.api.delete(`${role.path}?dryRun=true&reassignTo=${replacement.id}`)
  assert.equal(status, 200)
  assert.deepEqual(short(body.data.impact.gaining), { 'roles:read': ['Only'] })
  assert.deepEqual(short(body.data.impact.losing), { 'audit:read': ['Both', 'Only'] })
  assert.deepEqual(await stateOf(ann), before)
})

it('refuses a dry run when it refuses the change', async () => {
  const ann = await signUp(service.client)
  const clerk = await joinWith(ann, await signUp(service.client), ['roles:read', 'roles:update', 'roles:delete'])
  const all = await rolesOf(ann)
  const [low, high, held] = [
    await createRole(ann, 'Low', ['roles:read']),
    await createRole(ann, 'High', ['audit:read']),
    await createRole(ann, 'Held'),
  ]
  await addMember(ann, { roles: ['Held'] })
  const before = await stateOf(ann)
  const stale = { headers: { 'if-match': '"stale"' } }
  const attempts: ((query: string) => Promise<{ status: number; body: { code: string } }>)[] = [
    (query) => clerk.api.patch(`${low.path}?${query}`, { permissions: ['audit:read'] }),
    (query) => clerk.api.patch(`${high.path}?${query}`, { name: 'X' }),
    (query) => clerk.api.patch(`${low.path}?${query}`, { name: 'HIGH' }),
    (query) => clerk.api.patch(`${low.path}?${query}`, { name: '' }),
    (query) => clerk.api.patch(`${low.path}?${query}`, {}, stale),
    (query) => clerk.api.patch(`/companies/roles/${all.Member}?${query}`, {}),
    (query) => clerk.api.delete(`${high.path}?${query}`),
    (query) => clerk.api.delete(`${held.path}?${query}`),
    (query) => clerk.api.delete(`${held.path}?${query}&reassignTo=${high.id}`),
    (query) => clerk.api.delete(`${held.path}?${query}&reassignTo=${held.id}`),
    (query) => clerk.api.delete(`${low.path}?${query}`, undefined, stale),
  ]
  const codes: string[] = []
  for (const attempt of attempts) {
    const [dry, real] = [await attempt('dryRun=true'), await attempt('dryRun=false')]
    assert.ok(dry.status >= 400)
    assert.deepEqual(dry.body, real.body)
    codes.push(dry.body.code)
  }
  assert.ok(new Set(codes).size >= 8, String(codes))
  assert.deepEqual(await stateOf(ann), before)
})

it('shows numbers without people to an actor who may not read members', async () => {
  const ann = await signUp(service.client)
  const clerk = await joinWith(ann, await signUp(service.client), ['roles:read', 'roles:update'])
  const role = await createRole(ann, 'Desk', ['roles:read'])
  await addMember(ann, { roles: ['Desk'] })
  const { impact } = (await clerk.api.patch(`${role.path}?dryRun=true`, { permissions: [] })).body.data
  assert.deepEqual(impact, {
    memberCount: 1,
    gaining: [],
    losing: [{ permission: 'roles:read', memberCount: 1 }],
    joiningCount: 0,
  })
  assertProblem(await clerk.api.patch(`${role.path}?dryRun=yes`, { permissions: [] }), 400, 'validation_failed')
})

it('lists a hundred members, and counts the others', async () => {
  const ann = await signUp(service.client)
  const role = await createRole(ann, 'Desk', ['roles:read'])
  await service.db.query(
    `with made as (
       insert into accounts (id, email, name, name_folded)
       select gen_random_uuid(), $2 || n || '@example.com', 'P' || n, 'p' || n from generate_series(1, 150) n returning id),
     joined as (insert into memberships (company_id, account_id) select $1, id from made returning account_id)
     insert into membership_roles (company_id, account_id, role_id) select $1, account_id, $3 from joined`,
    [ann.company.id, role.id, role.id],
  )
  const { impact } = (await ann.api.patch(`${role.path}?dryRun=true`, { permissions: ['users:read'] })).body.data
  const all = await service.db.query<{ id: string }>(
    `select account_id as id from membership_roles where role_id = $1 order by 1 limit 100`,
    [role.id],
  )
  for (const [part] of [impact.gaining, impact.losing]) {
    assert.equal(part.memberCount, 150)
    assert.deepEqual(
      part.members.map(({ id }: { id: string }) => id),
      all.map(({ id }) => id),
    )
  }
})
