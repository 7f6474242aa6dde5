import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { type RawBuilder, sql } from 'kysely'
import { useTestApp } from '../../../test/support/app.ts'
import { anyBranchName, createBranch, createBranchChain } from '../../../test/support/branches.ts'
import type { Answer } from '../../../test/support/client.ts'
import { addMember } from '../../../test/support/members.ts'
import { assertProblem, signUp } from '../../../test/support/people.ts'
import { problemFromDatabase } from '../../database/errors.ts'
import { inCompany } from '../../database/scopes.ts'

const service = await useTestApp()
const ann = await signUp(service.client)

const path = '/companies/branches'
const moveTo = (id: string, parentId: string | null) => ann.api.patch(`${path}/${id}`, { parentId })
const read = async (id: string) => (await ann.api.get(`${path}/${id}`)).body.data

/** Checks as superuser that every branch of every company has a top branch at most eight levels up. */
async function assertSound(): Promise<void> {
  const [row] = await service.db.query(`
    with recursive walk as (
      select company_id, id, 1 as level from branches where parent_id is null
      union all
      select b.company_id, b.id, level + 1 from walk join branches b
        on b.company_id = walk.company_id and b.parent_id = walk.id)
    select (select count(*)::int from branches) as branches, count(*)::int as reached,
      coalesce(max(level), 0) as deepest from walk`)
  assert.equal(row?.reached, row?.branches)
  assert.ok(row?.deepest <= 8)
}

it('limits trees to eight levels', async () => {
  const chain = await createBranchChain(ann, 8)
  assert.deepEqual(
    chain.map(({ depth }) => depth),
    [1, 2, 3, 4, 5, 6, 7, 8],
  )
  assertProblem(await ann.api.post(path, { name: anyBranchName(), parentId: chain[7].id }), 422, 'branch_too_deep')
})

it('moves a branch with its descendants below another branch and to the top, and records it', async () => {
  const [top, middle, leaf] = await createBranchChain(ann, 3)
  const other = await createBranch(ann)
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

it('refuses to move a branch below itself or its descendants', async () => {
  const [top, middle, leaf] = await createBranchChain(ann, 3)
  for (const parent of [top, middle, leaf]) assertProblem(await moveTo(top.id, parent.id), 422, 'branch_cycle')
  assert.equal((await moveTo(leaf.id, top.id)).status, 200)
  await assertSound()
})

it('counts the descendants when it checks the depth of a move', async () => {
  const [deep, low] = [await createBranchChain(ann, 6), await createBranchChain(ann, 3)]
  assertProblem(await moveTo(low[0].id, deep[5].id), 422, 'branch_too_deep')
  assert.equal((await moveTo(low[1].id, deep[5].id)).status, 200)
  assert.equal((await read(low[2].id)).depth, 8)
  assertProblem(await moveTo(low[1].id, deep[5].id).then(() => moveTo(low[0].id, low[2].id)), 422, 'branch_too_deep')
  await assertSound()
})

it('refuses to move a branch below an inactive one, which keeps its children', async () => {
  const [top, child, leaf] = await createBranchChain(ann, 3)
  const other = await createBranch(ann)
  await ann.api.patch(`${path}/${top.id}`, { status: 'inactive' })
  assertProblem(await ann.api.post(path, { name: anyBranchName(), parentId: top.id }), 422, 'branch_inactive')
  assertProblem(await moveTo(other.id, top.id), 422, 'branch_inactive')
  assert.equal((await read(child.id)).status, 'active')
  assert.equal((await ann.api.patch(`${path}/${child.id}`, { parentId: top.id, phone: '1' })).status, 200)
  assert.equal((await moveTo(other.id, leaf.id)).status, 200)
  await ann.api.patch(`${path}/${top.id}`, { status: 'active' })
  assert.equal((await moveTo(leaf.id, top.id)).status, 200)
})

it('keeps a tree of eight levels under twenty parallel moves, repeatedly', async () => {
  const [one, other] = [await createBranchChain(ann, 4), await createBranchChain(ann, 4)]
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

it('accepts one of two parallel moves of branches below each other', async () => {
  for (let round = 0; round < 20; round++) {
    const [a, b] = [await createBranch(ann), await createBranch(ann)]
    const answers = await Promise.all([moveTo(a.id, b.id), moveTo(b.id, a.id)])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 422])
    assertProblem(answers.find(({ status }) => status === 422) as Answer, 422, 'branch_cycle')
  }
  await assertSound()
})

it('leaves no orphan when a branch is deleted while a child or a member is added', async () => {
  const bob = await addMember(ann)
  const member = `/companies/users/${bob.id}`
  const outcomes = new Set<string>()
  for (let round = 0; round < 20; round++) {
    const [a, b] = [await createBranch(ann), await createBranch(ann)]
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

it('is enforced by the database for every writer', async () => {
  const [top, middle] = await createBranchChain(ann, 2)
  const [low] = await createBranchChain(ann, 3)
  const deep = await createBranchChain(ann, 8)
  const [foreign] = await createBranchChain(await signUp(service.client), 1)
  const moved = (id: string, parentId: string) => sql`update branches set parent_id = ${parentId} where id = ${id}`
  const writes: Record<string, [RawBuilder<unknown>, string]> = {
    'a circle of one': [moved(top.id, top.id), 'branch_cycle'],
    'a circle of two': [moved(top.id, middle.id), 'branch_cycle'],
    'a long circle': [moved(deep[0].id, deep[7].id), 'branch_cycle'],
    'a subtree that gets too deep': [moved(low.id, deep[5].id), 'branch_too_deep'],
    'a ninth level': [
      sql`insert into branches (id, name, name_key, name_folded, parent_id)
        values (gen_random_uuid(), 'x', 'x', 'x', ${deep[7].id})`,
      'branch_too_deep',
    ],
    'two moves that are too deep only together': [
      sql`update branches set parent_id = case id when ${low.id} then ${top.id}::uuid else ${deep[4].id} end
        where id in (${low.id}, ${top.id})`,
      'branch_too_deep',
    ],
    'a parent of another company': [moved(top.id, foreign.id), 'branch_has_children'],
  }
  for (const [what, [write, code]] of Object.entries(writes)) {
    const refused = await service.database
      .write(inCompany(ann.company.id, ann.id), (tx) => write.execute(tx))
      .catch(problemFromDatabase)
    assert.equal((refused as { code?: string }).code, code, what)
  }
  await assertSound()
})

it('is enforced by the database for parallel moves without a lock', async () => {
  const [a, b] = [await createBranch(ann), await createBranch(ann)]
  const begun = Promise.withResolvers<void>()
  const first = service.database.write(inCompany(ann.company.id, ann.id), async (tx) => {
    await sql`update branches set parent_id = ${b.id} where id = ${a.id}`.execute(tx)
    begun.resolve()
    await service.db.waitForLock()
  })
  await begun.promise
  const second = service.database
    .write(inCompany(ann.company.id, ann.id), (tx) =>
      sql`update branches set parent_id = ${a.id} where id = ${b.id}`.execute(tx),
    )
    .catch(problemFromDatabase)
  await first
  assert.equal(((await second) as { code?: string }).code, 'branch_cycle')
  await assertSound()
})

/** A simple model of the tree, which walks up from every branch. */
class Model {
  readonly parents = new Map<string, string | null>()

  depthOf(id: string, steps = 1): number {
    const parent = this.parents.get(id)
    return parent && steps <= 20 ? this.depthOf(parent, steps + 1) : steps
  }

  /** The expected answer to a move. */
  move(id: string, parentId: string | null): string {
    const before = this.parents.get(id) ?? null
    this.parents.set(id, parentId)
    const depths = [...this.parents.keys()].map((one) => this.depthOf(one))
    const outcome = Math.max(...depths) > 20 ? 'branch_cycle' : Math.max(...depths) > 8 ? 'branch_too_deep' : 'moved'
    if (outcome !== 'moved') this.parents.set(id, before)
    return outcome
  }
}

it('answers random moves like the model, with the same depths', async () => {
  const size = 14
  const bob = await signUp(service.client)
  const ids: string[] = []
  for (let i = 0; i < size; i++) ids.push((await createBranch(bob)).id)
  const model = new Model()
  for (const id of ids) model.parents.set(id, null)
  const anyone = fc.nat(size - 1)
  const target = fc.oneof({ weight: 9, arbitrary: anyone }, { weight: 1, arbitrary: fc.constant(null) })
  const moves = fc.array(fc.tuple(anyone, target), { minLength: 10, maxLength: 25 })
  await fc.assert(
    fc.asyncProperty(moves, async (wanted) => {
      for (const [index, to] of wanted) {
        const [id, parentId] = [ids[index] as string, to === null ? null : (ids[to] as string)]
        const { status, body } = await bob.api.patch(`${path}/${id}`, { parentId })
        assert.equal(status === 200 ? 'moved' : body.code, model.move(id, parentId))
      }
      for (const query of ['?limit=100', '?limit=100&tree=true']) {
        const shown = flat((await bob.api.get(`${path}${query}`)).body.data)
        const expected = [...model.parents].map(([id, parentId]) => [id, { parentId, depth: model.depthOf(id) }])
        assert.deepEqual(shown, Object.fromEntries(expected))
      }
    }),
    { numRuns: 12, endOnFailure: true },
  )
})

interface Shown {
  id: string
  parentId: string | null
  depth: number
  children?: Shown[]
}
const flat = (items: Shown[]): Record<string, { parentId: string | null; depth: number }> =>
  Object.assign(
    {},
    ...items.map(({ id, parentId, depth, children = [] }) => ({ [id]: { parentId, depth }, ...flat(children) })),
  )

it('updates one row for a move with any number of descendants', async () => {
  const [top, middle] = await createBranchChain(ann, 4)
  const other = await createBranch(ann)
  const written = async () => {
    const rows = await service.db.query<{ id: string; xmin: string }>('select id, xmin::text from branches')
    return Object.fromEntries(rows.map(({ id, xmin }) => [id, xmin]))
  }
  const before = await written()
  assert.equal((await moveTo(middle.id, other.id)).status, 200)
  const after = await written()
  assert.deepEqual(
    Object.keys(after).filter((id) => after[id] !== before[id]),
    [middle.id],
  )
  assert.equal((await ann.api.get(`${path}?parentId=${middle.id}&tree=true`)).body.data[0].depth, 3)
  assert.equal((await read(top.id)).childCount, 0)
})
