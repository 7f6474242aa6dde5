import assert from 'node:assert/strict'
import { it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { anyBranchName, createBranch, createBranchChain } from '../../../test/support/branches.ts'
import { addMember, join } from '../../../test/support/members.ts'
import { assertProblem, signUp } from '../../../test/support/people.ts'
import { newId } from '../../lib/ids.ts'

const service = await useTestApp()
const ann = await signUp(service.client)

const path = '/companies/branches'
const whole = { code: 'LX-1', address: 'Rua Augusta 1', phone: '+351 1', timezone: 'Europe/Lisbon' }

const audited = (id: string) =>
  service.db.query(
    `select action, outcome, actor_id, target_type, target_label, changes from audit_records where target_id = $1 order by id`,
    [id],
  )

/** A branch with all its fields below another one, in a company of its own. */
async function createLisbon() {
  const owner = await signUp(service.client)
  const top = await createBranch(owner, { name: 'Iberia' })
  const added = await owner.api.post(path, { name: ' Lisboa ', parentId: top.id.toUpperCase(), ...whole })
  assert.equal(added.status, 201)
  return { owner, top, lisbon: added.body.data, itself: `${path}/${added.body.data.id}` }
}

const CHANGE = { name: 'Lisbon', code: null, address: '', status: 'inactive' }

it('is created and returned with all its fields', async () => {
  const { owner, top, lisbon, itself } = await createLisbon()
  const { id, created_at } = lisbon
  assert.deepEqual(lisbon, {
    id,
    parentId: top.id,
    name: 'Lisboa',
    ...whole,
    status: 'active',
    depth: 2,
    childCount: 0,
    created_at,
    updated_at: created_at,
  })
  assert.deepEqual((await owner.api.get(itself)).body.data, lisbon)
  assert.equal((await owner.api.get(`${path}/${top.id}`)).body.data.childCount, 1)
})

it('is updated by the sent fields, of which null and empty ones are cleared', async () => {
  const { owner, lisbon, itself } = await createLisbon()
  const changed = (await owner.api.patch(itself, CHANGE)).body.data
  const { updated_at } = changed
  assert.deepEqual(changed, { ...lisbon, name: 'Lisbon', code: '', address: '', status: 'inactive', updated_at })
  assert.ok(updated_at > lisbon.created_at)
  assert.deepEqual((await owner.api.patch(itself, {})).body.data, changed)
})

it('is not found after it was deleted', async () => {
  const { owner, lisbon, itself } = await createLisbon()
  const deleted = await owner.api.delete(itself)
  assert.deepEqual([deleted.status, deleted.body.data], [200, { id: lisbon.id }])
  assertProblem(await owner.api.get(itself), 404, 'branch_not_found')
})

it('has audit records of its creation, its updates and its deletion', async () => {
  const { owner, lisbon, itself } = await createLisbon()
  for (const body of [CHANGE, {}]) assert.equal((await owner.api.patch(itself, body)).status, 200)
  assert.equal((await owner.api.delete(itself)).status, 200)
  const to = (value: unknown) => ({ to: value })
  const common = { outcome: 'done', actor_id: owner.id, target_type: 'branch' }
  assert.deepEqual(await audited(lisbon.id), [
    {
      ...common,
      action: 'branches.create',
      target_label: 'Lisboa',
      changes: {
        code: to(whole.code),
        address: to(whole.address),
        phone: to(whole.phone),
        timezone: to(whole.timezone),
        parent: to('Iberia'),
      },
    },
    {
      ...common,
      action: 'branches.update',
      target_label: 'Lisboa',
      changes: {
        name: { from: 'Lisboa', to: 'Lisbon' },
        code: { from: whole.code, to: '' },
        address: { from: whole.address, to: '' },
        status: { from: 'active', to: 'inactive' },
      },
    },
    { ...common, action: 'branches.delete', target_label: 'Lisbon', changes: {} },
  ])
})

it('needs only a name', async () => {
  const { body } = await ann.api.post(path, { name: 'Plain', parentId: null, code: '', status: 'inactive', depth: 5 })
  const { parentId, code, address, phone, timezone, status, depth } = body.data
  assert.deepEqual(
    { parentId, code, address, phone, timezone, status, depth },
    { parentId: null, code: '', address: '', phone: '', timezone: '', status: 'active', depth: 1 },
  )
})

it('refuses malformed fields one by one, and writes nothing', async () => {
  const eve = await signUp(service.client)
  const one = await createBranch(eve)
  const wrong = [
    { name: '' },
    { name: '  ' },
    { name: null },
    { name: 'x'.repeat(101) },
    { name: 'a\0b' },
    { name: 5 },
    { name: 'x', code: 'x'.repeat(31) },
    { name: 'x', address: 'x'.repeat(301) },
    { name: 'x', phone: 'x'.repeat(33) },
    { name: 'x', timezone: 'Mars/Base' },
    { name: 'x', parentId: 'root' },
    { name: 'x', parentId: `{${one.id}}` },
    { name: 'x', parentId: [one.id] },
  ]
  for (const body of [{}, ...wrong]) assertProblem(await eve.api.post(path, body), 400, 'validation_failed')
  for (const body of [...wrong, { status: 'gone' }, { status: null }])
    assertProblem(await eve.api.patch(`${path}/${one.id}`, body), 400, 'validation_failed')
  assert.deepEqual((await eve.api.get(path)).body.data, [one])
  const longest = { name: 'é'.repeat(100), code: 'x'.repeat(30), address: 'x'.repeat(300), phone: 'x'.repeat(32) }
  assert.equal((await eve.api.post(path, longest)).status, 201)
})

it('has a name that is unique in the company in any letter case', async () => {
  const [eve, bob] = [await signUp(service.client), await signUp(service.client)]
  const cafe = await createBranch(eve, { name: 'CAFÉ Ömer' })
  const other = await createBranch(eve, { name: 'Cafe Omer' })
  assertProblem(await eve.api.post(path, { name: 'café öMER' }), 409, 'branch_name_taken')
  assertProblem(await eve.api.patch(`${path}/${other.id}`, { name: ' Café ömer ' }), 409, 'branch_name_taken')
  assert.equal((await eve.api.patch(`${path}/${cafe.id}`, { name: 'Café Ömer' })).body.data.name, 'Café Ömer')
  await createBranch(bob, { name: 'Café Ömer' })
  // A name in use is reported before a wrong parent.
  assertProblem(await eve.api.post(path, { name: 'café ömer', parentId: newId() }), 409, 'branch_name_taken')
})

it('has no code, or one that is unique in the company', async () => {
  const [eve, bob] = [await signUp(service.client), await signUp(service.client)]
  const one = await createBranch(eve, { code: 'Lx1' })
  const other = await createBranch(eve)
  await createBranch(eve, { code: '' })
  await createBranch(bob, { code: 'LX1' })
  assertProblem(await eve.api.post(path, { name: anyBranchName(), code: 'LX1' }), 409, 'branch_code_taken')
  assertProblem(await eve.api.patch(`${path}/${other.id}`, { code: 'lX1' }), 409, 'branch_code_taken')
  await eve.api.patch(`${path}/${one.id}`, { code: '' })
  assert.equal((await eve.api.patch(`${path}/${other.id}`, { code: 'lX1' })).body.data.code, 'lX1')
})

it('is created once from twenty parallel requests with one name or one code', async () => {
  const eve = await signUp(service.client)
  for (const [details, code] of [
    [() => ({ name: 'Same' }), 'branch_name_taken'],
    [() => ({ name: anyBranchName(), code: 'same' }), 'branch_code_taken'],
  ] as const) {
    const answers = await Promise.all(Array.from({ length: 20 }, () => eve.api.post(path, details())))
    assert.equal(answers.filter(({ status }) => status === 201).length, 1)
    for (const answer of answers.filter(({ status }) => status !== 201)) assertProblem(answer, 409, code)
  }
  assert.equal((await eve.api.get(path)).body.total, 2)
})

it('cannot be deleted while it has child branches or members', async () => {
  const [top, child] = await createBranchChain(ann, 2)
  const bob = await addMember(ann)
  await ann.api.patch(`/companies/users/${bob.id}`, { branchIds: [child.id] })
  assertProblem(await ann.api.delete(`${path}/${top.id}`), 422, 'branch_has_children')
  assertProblem(await ann.api.delete(`${path}/${child.id}`), 422, 'branch_has_members')
  assert.equal((await audited(top.id)).at(-1)?.outcome, 'branch_has_children')
  assert.equal((await ann.api.delete(`/companies/users/${bob.id}`)).status, 200)
  assert.equal((await ann.api.delete(`${path}/${child.id}`)).status, 200)
  assert.equal((await ann.api.delete(`${path}/${top.id}`)).status, 200)
  assertProblem(await ann.api.delete(`${path}/${top.id}`), 404, 'branch_not_found')
})

it('accepts one of twenty parallel updates with one ETag', async () => {
  const { id } = await createBranch(ann)
  const read = await ann.api.get(`${path}/${id}`)
  const tag = read.headers.get('etag') as string
  assert.match(tag, /^"/)
  assert.equal((await ann.api.get(`${path}/${id}`, { headers: { 'if-none-match': tag } })).status, 304)
  const headers = { 'if-match': tag }
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => ann.api.patch(`${path}/${id}`, { phone: `${i}` }, { headers })),
  )
  const done = answers.filter(({ status }) => status === 200)
  assert.equal(done.length, 1)
  for (const answer of answers.filter(({ status }) => status !== 200)) assertProblem(answer, 412, 'version_mismatch')
  assert.equal((await ann.api.get(`${path}/${id}`)).headers.get('etag'), done[0]?.headers.get('etag'))
  assertProblem(await ann.api.delete(`${path}/${id}`, undefined, { headers }), 412, 'version_mismatch')
  const fresh = { 'if-match': done[0]?.headers.get('etag') as string }
  assert.equal((await ann.api.delete(`${path}/${id}`, undefined, { headers: fresh })).status, 200)
  assertProblem(await ann.api.patch(`${path}/${id}`, {}, { headers: fresh }), 404, 'branch_not_found')
})

it('of another company is not found by any operation', async () => {
  const eve = await signUp(service.client)
  const foreign = await createBranch(eve, { name: 'Secret' })
  const own = await createBranch(ann)
  for (const id of [foreign.id, newId()]) {
    assertProblem(await ann.api.get(`${path}/${id}`), 404, 'branch_not_found')
    assertProblem(await ann.api.patch(`${path}/${id}`, { name: 'x' }), 404, 'branch_not_found')
    assertProblem(await ann.api.delete(`${path}/${id}`), 404, 'branch_not_found')
    assertProblem(await ann.api.post(path, { name: anyBranchName(), parentId: id }), 422, 'branch_unknown')
    assertProblem(await ann.api.patch(`${path}/${own.id}`, { parentId: id }), 422, 'branch_unknown')
    assert.equal((await ann.api.get(`${path}?parentId=${id}`)).body.total, 0)
    assert.deepEqual((await ann.api.get(`${path}?parentId=${id}&tree=true`)).body.data, [])
  }
  assert.equal((await ann.api.get(`${path}?search=secret`)).body.total, 0)
  assert.equal((await ann.api.get(`${path}?search=secret&tree=true`)).body.total, 0)
  assert.deepEqual((await eve.api.get(path)).body.data, [foreign])
})

it('is readable for every member, and writable for managers', async () => {
  const { id } = await createBranch(ann)
  const [member, manager] = [
    await join(ann, await signUp(service.client)),
    await join(ann, await signUp(service.client), ['Manager']),
  ]
  assert.equal((await member.api.get(path)).status, 200)
  assert.equal((await member.api.get(`${path}/${id}`)).status, 200)
  for (const [answer, required] of [
    [await member.api.post(path, { name: 'x' }), 'branches:create'],
    [await member.api.patch(`${path}/${id}`, { name: 'x' }), 'branches:update'],
    [await member.api.delete(`${path}/${id}`), 'branches:delete'],
  ] as const) {
    assertProblem(answer, 403, 'permission_missing')
    assert.equal(answer.body.required, required)
  }
  const own = await createBranch(manager)
  assert.equal((await manager.api.patch(`${path}/${own.id}`, { phone: '1' })).status, 200)
  assert.equal((await manager.api.delete(`${path}/${own.id}`)).status, 200)
})

it('is refused beyond 10,000 branches per company', async () => {
  const eve = await signUp(service.client)
  await service.db.query(
    `insert into branches (company_id, id, name, name_key, name_folded)
     select $1, gen_random_uuid(), 'n' || n, 'n' || n, 'n' || n from generate_series(1, 9999) n`,
    [eve.company.id],
  )
  const answers = await Promise.all(Array.from({ length: 5 }, () => eve.api.post(path, { name: anyBranchName() })))
  assert.equal(answers.filter(({ status }) => status === 201).length, 1)
  for (const answer of answers.filter(({ status }) => status !== 201))
    assertProblem(answer, 422, 'branch_limit_reached')
  assert.equal((await eve.api.get(path)).body.total, 10_000)
})
