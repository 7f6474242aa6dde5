import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { startTestApp, type TestApp } from '../../../test/support/app.ts'
import { addBranch, addChain, anyBranchName } from '../../../test/support/branches.ts'
import type { Answer } from '../../../test/support/client.ts'
import { addMember } from '../../../test/support/members.ts'
import { assertProblem, type Person, signUp } from '../../../test/support/people.ts'
import { problemFromDatabase } from '../../database/errors.ts'
import { inCompany } from '../../database/tenancy.ts'

let service: TestApp
let ann: Person
before(async () => {
  service = await startTestApp()
  ann = await signUp(service.client)
})
after(() => service.close())

const path = '/companies/branches'
const moveTo = (id: string, parentId: string | null) => ann.api.patch(`${path}/${id}`, { parentId })
const read = async (id: string) => (await ann.api.get(`${path}/${id}`)).body.data

/** As the superuser: every branch of every company leads to a top, at most eight levels up, and knows how far that is. */
async function assertSound(): Promise<void> {
  const [row] = await service.db.query(`
    with recursive walk as (
      select company_id, id, depth, 1 as level from branches where parent_id is null
      union all
      select b.company_id, b.id, b.depth, level + 1 from walk join branches b
        on b.company_id = walk.company_id and b.parent_id = walk.id)
    select (select count(*)::int from branches) as branches, count(*)::int as reached,
      coalesce(max(level), 0) as deepest, count(*) filter (where depth <> level)::int as wrong from walk`)
  assert.equal(row?.reached, row?.branches)
  assert.ok(row?.deepest <= 8)
  assert.equal(row?.wrong, 0)
}

it('goes eight levels deep and no deeper', async () => {
  const chain = await addChain(ann, 8)
  assert.deepEqual(
    chain.map(({ depth }) => depth),
    [1, 2, 3, 4, 5, 6, 7, 8],
  )
  assertProblem(await ann.api.post(path, { name: anyBranchName(), parentId: chain[7].id }), 422, 'branch_too_deep')
})

it('moves a branch with all below it, to another one and to the top, and says so in the audit', async () => {
  const [top, middle, leaf] = await addChain(ann, 3)
  const other = await addBranch(ann)
  const moved = await moveTo(middle.id, other.id)
  assert.deepEqual([moved.status, moved.body.data.parentId, moved.body.data.depth], [200, other.id, 2])
  assert.equal((await read(leaf.id)).depth, 3)
  assert.equal((await moveTo(middle.id, null)).body.data.parentId, null)
  const [itself, below] = [await read(middle.id), await read(leaf.id)]
  assert.deepEqual([itself.depth, below.depth, below.parentId], [1, 2, middle.id])
  assert.ok(itself.updated_at > middle.updated_at)
  assert.equal(below.updated_at, leaf.updated_at)
  const records = await service.db.query(
    `select changes from audit_records where target_id = $1 and action = 'branches.update' order by id`,
    [middle.id],
  )
  assert.deepEqual(
    records.map(({ changes }) => changes),
    [{ parent: { from: top.name, to: other.name } }, { parent: { from: other.name, to: null } }],
  )
  const again = await ann.api.patch(`${path}/${middle.id}`, { parentId: null, phone: '1' })
  assert.deepEqual([again.status, again.body.data.phone], [200, '1'])
  await assertSound()
})

it('never puts a branch below itself, at whatever distance', async () => {
  const [top, middle, leaf] = await addChain(ann, 3)
  for (const parent of [top, middle, leaf]) assertProblem(await moveTo(top.id, parent.id), 422, 'branch_cycle')
  assert.equal((await moveTo(leaf.id, top.id)).status, 200)
  await assertSound()
})

it('counts all that comes along when it looks how deep a move would lead', async () => {
  const [deep, low] = [await addChain(ann, 6), await addChain(ann, 3)]
  assertProblem(await moveTo(low[0].id, deep[5].id), 422, 'branch_too_deep')
  assert.equal((await moveTo(low[1].id, deep[5].id)).status, 200)
  assert.equal((await read(low[2].id)).depth, 8)
  assertProblem(await moveTo(low[1].id, deep[5].id).then(() => moveTo(low[0].id, low[2].id)), 422, 'branch_too_deep')
  await assertSound()
})

it('takes nothing in below an inactive branch, which keeps what it has', async () => {
  const [top, child, leaf] = await addChain(ann, 3)
  const other = await addBranch(ann)
  await ann.api.patch(`${path}/${top.id}`, { status: 'inactive' })
  assertProblem(await ann.api.post(path, { name: anyBranchName(), parentId: top.id }), 422, 'branch_inactive')
  assertProblem(await moveTo(other.id, top.id), 422, 'branch_inactive')
  assert.equal((await read(child.id)).status, 'active')
  assert.equal((await ann.api.patch(`${path}/${child.id}`, { parentId: top.id, phone: '1' })).status, 200)
  assert.equal((await moveTo(other.id, leaf.id)).status, 200)
  await ann.api.patch(`${path}/${top.id}`, { status: 'active' })
  assert.equal((await moveTo(leaf.id, top.id)).status, 200)
})

it('stays a tree of eight levels when branches are moved below each other, twenty at once, again and again', async () => {
  const [one, other] = [await addChain(ann, 4), await addChain(ann, 4)]
  const all = [...one, ...other]
  const done = new Set<number>()
  for (let round = 0; round < 15; round++) {
    const answers = await Promise.all([
      moveTo(one[0].id, other[3].id),
      moveTo(other[0].id, one[3].id),
      ...Array.from({ length: 18 }, (_, i) =>
        moveTo(all[(i * 3 + round) % 8].id, i % 6 === 0 ? null : all[(i * 5 + round * 7 + 1) % 8].id),
      ),
    ])
    for (const { status, body } of answers)
      assert.ok(status === 200 || ['branch_cycle', 'branch_too_deep'].includes(body.code), JSON.stringify(body))
    for (const { status } of answers) done.add(status)
    await assertSound()
  }
  assert.deepEqual(done, new Set([200, 422]))
})

it('lets one of two branches go below the other, when both are asked at once', async () => {
  for (let round = 0; round < 20; round++) {
    const [a, b] = [await addBranch(ann), await addBranch(ann)]
    const answers = await Promise.all([moveTo(a.id, b.id), moveTo(b.id, a.id)])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 422])
    assertProblem(answers.find(({ status }) => status === 422) as Answer, 422, 'branch_cycle')
  }
  await assertSound()
})

it('leaves no orphan when a branch is deleted while a branch or a member comes to it', async () => {
  const bob = await addMember(ann)
  const member = `/companies/users/${bob.id}`
  const outcomes = new Set<string>()
  for (let round = 0; round < 20; round++) {
    const [a, b] = [await addBranch(ann), await addBranch(ann)]
    const [child, removedA, placed, removedB] = await Promise.all([
      ann.api.post(path, { name: anyBranchName(), parentId: a.id }),
      ann.api.delete(`${path}/${a.id}`),
      ann.api.patch(member, { branchIds: [b.id] }),
      ann.api.delete(`${path}/${b.id}`),
    ])
    const found = [child, removedA, placed, removedB].map(({ status, body }) => `${status} ${body.code ?? ''}`.trim())
    outcomes.add(found.slice(0, 2).join()).add(found.slice(2).join())
    await ann.api.patch(member, { branchIds: [] })
  }
  for (const outcome of outcomes)
    assert.ok(
      ['201,422 branch_has_children', '422 branch_unknown,200', '200,422 branch_has_members'].includes(outcome),
      outcome,
    )
  await assertSound()
})

it('is kept sound by the database itself, whatever writes', async () => {
  const [top, middle] = await addChain(ann, 2)
  const deep = await addChain(ann, 8)
  const writes = {
    'a circle': sql`update branches set parent_id = ${middle.id}, depth = 3, parent_depth = 2 where id = ${top.id}`,
    'a jump over a level': sql`update branches set depth = 5, parent_depth = 4 where id = ${middle.id}`,
    'a move that leaves what is below behind': sql`
      update branches set parent_id = ${deep[1].id}, depth = 3, parent_depth = 2 where id = ${deep[6].id}`,
    'a ninth level': sql`
      insert into branches (id, name, name_key, name_folded, parent_id, depth, parent_depth)
      values (gen_random_uuid(), 'x', 'x', 'x', ${deep[7].id}, 9, 8)`,
    'a top that is none': sql`update branches set parent_id = null where id = ${middle.id}`,
  }
  for (const [what, write] of Object.entries(writes))
    await assert.rejects(
      service.database.write(inCompany(ann.company.id, ann.id), (tx) => write.execute(tx)),
      (error) => /^23/.test((error as { code: string }).code),
      what,
    )
  const tooDeep = await service.database
    .write(inCompany(ann.company.id, ann.id), (tx) => writes['a ninth level'].execute(tx))
    .catch(problemFromDatabase)
  assert.equal((tooDeep as { code: string }).code, 'branch_too_deep')
  await assertSound()
})
