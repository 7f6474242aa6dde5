import assert from 'node:assert/strict'
import { it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { addMember, createRole, join, joinWith, rolesOf } from '../../../test/support/members.ts'
import { assertProblem, type Person, signUp } from '../../../test/support/people.ts'
import { newId } from '../../lib/ids.ts'

const service = await useTestApp()

const roles = '/companies/roles'
const namesIn = (body: { data: { name: string }[] }) => body.data.map(({ name }) => name)

it('creates a role, returns it alone and in the list, and records it', async () => {
  const ann = await signUp(service.client)
  const wanted = {
    name: '  Front   desk ',
    description: 'Greets',
    permissions: ['users:read', 'branches:read', 'users:read'],
  }
  const { status, body } = await ann.api.post(roles, wanted)
  assert.equal(status, 201)
  const { id, created_at, updated_at, ...rest } = body.data
  assert.equal(created_at, updated_at)
  assert.deepEqual(rest, {
    name: 'Front   desk',
    description: 'Greets',
    permissions: ['users:read', 'branches:read'],
    isSystem: false,
    memberCount: 0,
  })
  assert.deepEqual((await ann.api.get(`${roles}/${id.toUpperCase()}`)).body.data, body.data)
  assert.deepEqual((await ann.api.get(`${roles}?search=greets`)).body.data, [body.data])
  const [record] = await service.db.query(
    'select action, outcome, target_type, target_label, changes from audit_records where target_id = $1',
    [id],
  )
  assert.deepEqual(record, {
    action: 'roles.create',
    outcome: 'done',
    target_type: 'role',
    target_label: 'Front   desk',
    changes: {
      name: { to: 'Front   desk' },
      description: { to: 'Greets' },
      permissions: { to: ['users:read', 'branches:read'] },
    },
  })
})

it('creates a role without permissions, and assigns it to a member', async () => {
  const ann = await signUp(service.client)
  await createRole(ann, 'Nothing')
  const bob = await join(ann, await signUp(service.client), ['nothing'])
  const me = (await bob.api.get('/auth/me')).body.data
  assert.deepEqual(me.companyRoles[ann.company.id], ['Nothing'])
  assert.deepEqual(me.companyPermissions[ann.company.id], [])
  assertProblem(await bob.api.get(roles), 403, 'permission_missing')
})

it('is refused beyond 1,000 roles per company, exactly when five are created at once, until one is deleted', async () => {
  const ann = await signUp(service.client)
  await service.db.query(
    `insert into roles (company_id, id, name, name_folded, name_skeleton, name_shape, permissions)
     select $1, gen_random_uuid(), 'n' || n, 'n' || n, 'n' || n, 'n' || n, '{}'
     from generate_series(1, 999 - (select count(*)::int from roles where company_id = $1)) n`,
    [ann.company.id],
  )
  const create = (number: number) => ann.api.post(roles, { name: `Desk ${number}`, permissions: [] })
  const answers = await Promise.all(Array.from({ length: 5 }, (_, number) => create(number)))

  const created = answers.filter(({ status }) => status === 201)
  assert.equal(created.length, 1)
  for (const answer of answers.filter(({ status }) => status !== 201)) assertProblem(answer, 422, 'role_limit_reached')
  assert.equal((await ann.api.get(roles)).body.total, 1000)
  assert.equal((await ann.api.delete(`${roles}/${created[0]?.body.data.id}`)).status, 200)
  assert.equal((await create(6)).status, 201)
})

it('refuses a name that another role has in any letter case', async () => {
  const ann = await signUp(service.client)
  await createRole(ann, 'Straße Nord')
  const alike = ['OWNER', 'owner', 'ówner', ' Owner ', 'Ｏｗｎｅｒ', 'O\u0301wner', 'STRASSE  NORD', 'Straße\u00a0nord']
  for (const name of alike) assertProblem(await ann.api.post(roles, { name, permissions: [] }), 409, 'role_name_taken')
  const other = await createRole(ann, 'Other')
  for (const name of alike) assertProblem(await ann.api.patch(other.path, { name }), 409, 'role_name_taken')
  assert.equal((await ann.api.patch(other.path, { name: 'ÓTHER' })).body.data.name, 'ÓTHER', 'its own it may respell')
  const eve = await signUp(service.client)
  await createRole(eve, 'Other')
})

it('accepts one of twenty parallel roles with one name', async () => {
  const ann = await signUp(service.client)
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => ann.api.post(roles, { name: i % 2 ? 'Desk' : 'DÉSK', permissions: [] })),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array(19).fill(409)])
  assert.equal((await ann.api.get(roles)).body.total, 5)
})

it('refuses malformed fields one by one, and writes nothing', async () => {
  const ann = await signUp(service.client)
  const role = await createRole(ann, 'Desk')
  const before = (await ann.api.get(role.path)).body.data
  const bad: [object, string][] = [
    [{ name: '' }, 'name'],
    [{ name: ' \u2800 ' }, 'name'],
    [{ name: ' \u200b ' }, 'name'],
    [{ name: '\u0301' }, 'name'],
    [{ name: null }, 'name'],
    [{ name: 'x'.repeat(61) }, 'name'],
    [{ name: 'a\0' }, 'name'],
    [{ name: 'a\u202eb' }, 'name'],
    [{ description: 'x'.repeat(301) }, 'description'],
    [{ description: 5 }, 'description'],
    [{ permissions: 'users:read' }, 'permissions'],
    [{ permissions: null }, 'permissions'],
    [{ permissions: ['users:fly'] }, 'permissions.0'],
    [{ permissions: ['users:read', 'constructor'] }, 'permissions.1'],
    [{ permissions: [['users:read']] }, 'permissions.0'],
    [{ permissions: Array(1000).fill('users:read') }, 'permissions'],
  ]
  for (const [wrong, field] of bad) {
    const answers = [
      await ann.api.post(roles, { name: 'New', permissions: [], ...wrong }),
      await ann.api.patch(role.path, wrong),
    ]
    for (const answer of answers) {
      assertProblem(answer, 400, 'validation_failed')
      assert.equal(answer.body.details[0].path, field, JSON.stringify(wrong))
    }
  }
  for (const body of [{}, { name: 'New' }, { permissions: [] }])
    assertProblem(await ann.api.post(roles, body), 400, 'validation_failed')
  assert.deepEqual((await ann.api.get(role.path)).body.data, before)
  assert.equal((await ann.api.get(roles)).body.total, 5)
  assert.equal((await ann.api.post(roles, { name: `${'😀'.repeat(59)}a`, permissions: [] })).status, 201)
})

it('sorts by name, age and number of members, and filters by name, description and kind', async () => {
  const ann = await signUp(service.client)
  await ann.api.post(roles, { name: 'Ópera 100%', description: 'Sings_loud', permissions: [] })
  await createRole(ann, 'ballet')
  await addMember(ann, { roles: ['ballet'] })
  await addMember(ann, { roles: ['ballet', 'Member'] })
  const seen = async (query: string) => namesIn((await ann.api.get(`${roles}?${query}`)).body)
  assert.deepEqual(await seen(''), ['Admin', 'ballet', 'Manager', 'Member', 'Ópera 100%', 'Owner'])
  assert.deepEqual(await seen('sortDir=desc&limit=2&page=2'), ['Member', 'Manager'])
  assert.equal((await seen('sortBy=created_at')).at(-1), 'ballet')
  assert.equal((await seen('sortBy=memberCount&sortDir=desc'))[0], 'ballet')
  assert.deepEqual(await seen('isSystem=false'), ['ballet', 'Ópera 100%'])
  assert.deepEqual(await seen('isSystem=true'), ['Admin', 'Manager', 'Member', 'Owner'])
  for (const search of ['opera', 'ÓPERA', '0%25', 's_l', 'loud'])
    assert.deepEqual(await seen(`search=${search}`), ['Ópera 100%'])
  for (const search of ['%25%25', '__', '%5C', 'zzz']) assert.deepEqual(await seen(`search=${search}`), [])
  const { body } = await ann.api.get(`${roles}?search=e&isSystem=true&limit=1`)
  assert.deepEqual([body.total, body.data.length], [4, 1])
  for (const query of ['sortBy=name_folded', 'isSystem=yes', 'page=0', 'search=a%00'])
    assertProblem(await ann.api.get(`${roles}?${query}`), 400, 'validation_failed')
})

it('counts the members of a role as they are added and removed', async () => {
  const ann = await signUp(service.client)
  const { path } = await createRole(ann, 'Desk')
  const all = await rolesOf(ann)
  const counted = async () => {
    const [row] = await service.db.query(
      `select count(*) filter (where coalesce(members, 0) <> (
         select count(*) from membership_roles m where m.role_id = roles.id))::int as wrong
       from roles left join role_counters on role_id = id where roles.company_id = $1`,
      [ann.company.id],
    )
    assert.equal(row?.wrong, 0)
    return (await ann.api.get(path)).body.data.memberCount
  }
  assert.equal(await counted(), 0)
  const [bob, carl] = [await addMember(ann, { roles: ['Desk'] }), await addMember(ann, { roles: ['Desk', 'Admin'] })]
  assert.equal(await counted(), 2)
  await ann.api.patch(`/companies/users/${bob.id}`, { status: 'inactive' })
  assert.equal(await counted(), 2)
  await ann.api.patch(`/companies/users/${bob.id}`, { roleIds: [all.Member] })
  assert.equal(await counted(), 1)
  await ann.api.delete(`/companies/users/${carl.id}`)
  assert.equal(await counted(), 0)
  await Promise.all(Array.from({ length: 20 }, () => addMember(ann, { roles: ['Desk'] })))
  assert.equal(await counted(), 20)
})

it('sends a strong ETag, and answers If-None-Match', async () => {
  const ann = await signUp(service.client)
  const { path } = await createRole(ann, 'Desk')
  const first = await ann.api.get(path)
  const etag = first.headers.get('etag') as string
  assert.match(etag, /^"[\w-]+"$/)
  assert.equal((await ann.api.get(path, { headers: { 'if-none-match': etag } })).status, 304)
  const saved = await ann.api.patch(path, { description: 'New' }, { headers: { 'if-match': etag } })
  assert.equal(saved.status, 200)
  assert.equal(saved.headers.get('etag'), (await ann.api.get(path)).headers.get('etag'))
  assertProblem(await ann.api.patch(path, { name: 'X' }, { headers: { 'if-match': etag } }), 412, 'version_mismatch')
  assertProblem(await ann.api.delete(path, undefined, { headers: { 'if-match': etag } }), 412, 'version_mismatch')
  assert.equal((await ann.api.get(path, { headers: { 'if-none-match': etag } })).status, 200)
})

it('lists the members of a role in the shape of the member list', async () => {
  const ann = await signUp(service.client)
  const { id, path } = await createRole(ann, 'Desk', ['users:read'])
  await addMember(ann, { name: 'Zoë', roles: ['Desk'] })
  const bob = await addMember(ann, { name: 'Bob', roles: ['Desk', 'Member'] })
  await addMember(ann, { name: 'Carl' })
  await ann.api.patch(`/companies/users/${bob.id}`, { status: 'inactive' })
  for (const query of ['', 'search=zoe', 'status=inactive', 'sortBy=email&sortDir=desc&limit=1&page=2']) {
    const { status, body } = await ann.api.get(`${path}/members?${query}`)
    assert.equal(status, 200)
    assert.deepEqual(body, (await ann.api.get(`/companies/users?roleId=${id}&${query}`)).body)
  }
  assert.deepEqual(namesIn((await ann.api.get(`${path}/members`)).body), ['Bob', 'Zoë'])
  assertProblem(await ann.api.get(`${roles}/${newId()}/members`), 404, 'role_not_found')
  assertProblem(await ann.api.get(`${path}/members?sortBy=phone`), 400, 'validation_failed')
})

it('shows no members to an actor without users:read', async () => {
  const ann = await signUp(service.client)
  const { path } = await createRole(ann, 'Desk')
  const bob = await joinWith(ann, await signUp(service.client), ['roles:read', 'permissions:read'])
  const asked = [
    await bob.api.get(`${path}/members`),
    await bob.api.get(`/companies/permissions/explain?userId=${ann.id}&permission=users:read`),
  ]
  for (const answer of asked) {
    assertProblem(answer, 403, 'permission_missing')
    assert.equal(answer.body.required, 'users:read')
  }
})

it('does not find roles of another company', async () => {
  const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
  const { id, path } = await createRole(eve, 'Desk')
  const mine = await createRole(ann, 'Mine')
  const before = (await eve.api.get(path)).body.data
  const ids = [id, newId()]
  for (const other of ids) {
    const at = `${roles}/${other}`
    assertProblem(await ann.api.get(at), 404, 'role_not_found')
    assertProblem(await ann.api.get(`${at}/members`), 404, 'role_not_found')
    assertProblem(await ann.api.patch(at, { name: 'X' }), 404, 'role_not_found')
    assertProblem(await ann.api.patch(`${at}?dryRun=true`, { name: 'X' }), 404, 'role_not_found')
    assertProblem(await ann.api.patch(at, {}, { headers: { 'if-match': '"x"' } }), 404, 'role_not_found')
    assertProblem(await ann.api.delete(at), 404, 'role_not_found')
    assertProblem(await ann.api.delete(`${mine.path}?reassignTo=${other}`), 422, 'role_unknown')
  }
  for (const userId of [eve.id, newId()])
    assertProblem(
      await ann.api.get(`/companies/permissions/explain?userId=${userId}&permission=users:read`),
      404,
      'member_not_found',
    )
  assert.deepEqual((await eve.api.get(path)).body.data, before)
  assert.equal((await ann.api.get(mine.path)).status, 200)
})

it('requires the permission of each operation, and names it', async () => {
  const ann = await signUp(service.client)
  const { path } = await createRole(ann, 'Desk')
  const calls: [string, string, string, object?][] = [
    ['roles:read', 'GET', roles],
    ['roles:read', 'GET', path],
    ['roles:read', 'GET', `${path}/members`],
    ['roles:create', 'POST', roles, { name: 'X', permissions: [] }],
    ['roles:update', 'PATCH', path, {}],
    ['roles:update', 'PATCH', `${path}?dryRun=true`, {}],
    ['roles:delete', 'DELETE', path],
    ['roles:delete', 'DELETE', `${path}?dryRun=true`],
    ['permissions:read', 'GET', '/companies/permissions'],
    ['permissions:read', 'GET', `/companies/permissions/explain?userId=${ann.id}&permission=users:read`],
  ]
  const every = (await ann.api.get('/companies/permissions')).body.data.map(({ name }: { name: string }) => name)
  for (const [permission, method, at, body] of calls) {
    const others = every.filter((name: string) => name !== permission)
    const bob: Person = await joinWith(ann, await signUp(service.client), others)
    const answer = await bob.api.send(method, at, body)
    assertProblem(answer, 403, 'permission_missing')
    assert.equal(answer.body.required, permission, `${method} ${at}`)
  }
})
