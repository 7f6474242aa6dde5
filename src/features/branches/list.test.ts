import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { createBranch } from '../../../test/support/branches.ts'
import { assertProblem, signUp } from '../../../test/support/people.ts'

const service = await useTestApp()
const ann = await signUp(service.client)
const ids: Record<string, string> = {}
const names: Record<string, string> = {}

/** World: Europe (Iberia (Évora LX-9, Lisboa), nórdica (Oslo, inactive)), Asia (Tokyo 100%). */
before(async () => {
  const add = async (key: string, details: object) => {
    ids[key] = (await createBranch(ann, details)).id
    names[ids[key] as string] = key
  }
  await add('europe', { name: 'Europe', code: 'EU' })
  await add('asia', { name: 'Asia', code: 'as' })
  await add('iberia', { name: 'Iberia', parentId: ids.europe })
  await add('nordica', { name: 'nórdica', parentId: ids.europe })
  await add('lisboa', { name: 'Lisboa', parentId: ids.iberia })
  await add('evora', { name: 'Évora', parentId: ids.iberia, code: 'LX-9' })
  await add('oslo', { name: 'Oslo', parentId: ids.nordica })
  await add('tokyo', { name: 'Tokyo 100%', parentId: ids.asia, code: 'T_1' })
  await ann.api.patch(`/companies/branches/${ids.nordica}`, { status: 'inactive' })
})

interface Item {
  id: string
  children?: Item[]
}
type Shape = { [key: string]: Shape }

const list = async (query = '') => (await ann.api.get(`/companies/branches${query}`)).body
const keys = async (query: string) => (await list(query)).data.map(({ id }: Item) => names[id])
const tree = async (query = '') => shapeOf((await list(`?tree=true${query}`)).data)
const shapeOf = (items: Item[]): Shape =>
  Object.fromEntries(items.map(({ id, children = [] }) => [names[id], shapeOf(children)]))

it('is flat and sorted by name, ignoring letter case and accents', async () => {
  const { data, total, page, limit } = await list()
  assert.deepEqual([total, page, limit], [8, 1, 20])
  assert.deepEqual(
    data.map(({ id }: Item) => names[id]),
    ['asia', 'europe', 'evora', 'iberia', 'lisboa', 'nordica', 'oslo', 'tokyo'],
  )
  for (const item of data) assert.equal('children' in item, false)
})

it('sorts by each column in both directions, with pages that do not overlap', async () => {
  for (const column of ['name', 'code', 'created_at', 'status']) {
    const whole = await keys(`?sortBy=${column}`)
    assert.deepEqual(await keys(`?sortBy=${column}&sortDir=desc`), [...whole].reverse())
    const paged = []
    for (let page = 1; page <= 4; page++) paged.push(...(await keys(`?sortBy=${column}&limit=2&page=${page}`)))
    assert.deepEqual(paged, whole)
  }
  assert.deepEqual((await keys('?sortBy=code&sortDir=desc')).slice(0, 4), ['tokyo', 'evora', 'europe', 'asia'])
  assert.deepEqual(await keys('?page=1000000'), [])
})

it('filters by a fragment of name or code, by status and by ancestor, alone and combined', async () => {
  assert.deepEqual(await keys('?search=EVORA'), ['evora'])
  assert.deepEqual(await keys('?search=lx-'), ['evora'])
  assert.deepEqual(await keys('?search=n%C3%B3rDI'), ['nordica'])
  assert.deepEqual(await keys('?search=%25'), ['tokyo'])
  assert.deepEqual(await keys('?search=t_'), ['tokyo'])
  assert.deepEqual(await keys('?search=l_s'), [])
  assert.deepEqual(await keys('?status=inactive'), ['nordica'])
  assert.deepEqual(await keys('?parentId=root'), ['asia', 'europe'])
  assert.deepEqual(await keys(`?parentId=${ids.europe?.toUpperCase()}`), ['iberia', 'nordica'])
  assert.deepEqual(await keys(`?parentId=${ids.europe}&status=active&search=i`), ['iberia'])
  assert.equal((await list(`?parentId=${ids.iberia}&limit=1`)).total, 2)
  assert.equal((await list('?search=&limit=1')).total, 8)
})

it('returns a tree on request: a page of top branches with all their descendants in order', async () => {
  const whole = {
    asia: { tokyo: {} },
    europe: { iberia: { evora: {}, lisboa: {} }, nordica: { oslo: {} } },
  }
  assert.equal(JSON.stringify(await tree()), JSON.stringify(whole))
  const { data, total } = await list('?tree=true&limit=1&page=2')
  assert.deepEqual([total, shapeOf(data)], [2, { europe: whole.europe }])
  assert.deepEqual(data[0].children[0].children[1].children, [])
  assert.equal(data[0].children[0].depth, 2)
  assert.equal(
    JSON.stringify(await tree('&sortDir=desc')),
    JSON.stringify({
      europe: { nordica: { oslo: {} }, iberia: { lisboa: {}, evora: {} } },
      asia: { tokyo: {} },
    }),
  )
  assert.deepEqual(await tree(`&parentId=${ids.europe}`), whole.europe)
  assert.deepEqual(await tree('&parentId=root'), whole)
  assert.deepEqual(await tree(`&parentId=${ids.oslo}`), {})
  assert.deepEqual((await list('?tree=true&page=3')).total, 2)
  assert.equal('children' in (await list('?tree=false')).data[0], false)
})

it('returns a filtered tree with the matches and their ancestors', async () => {
  assert.deepEqual(await tree('&search=o'), {
    asia: { tokyo: {} },
    europe: { iberia: { evora: {}, lisboa: {} }, nordica: { oslo: {} } },
  })
  assert.deepEqual(await tree('&search=oslo'), { europe: { nordica: { oslo: {} } } })
  assert.deepEqual(await tree('&search=iberia'), { europe: { iberia: {} } })
  assert.deepEqual(await tree('&status=inactive'), { europe: { nordica: {} } })
  assert.deepEqual(await tree('&status=inactive&search=oslo'), {})
  assert.deepEqual(await tree(`&search=lisboa&parentId=${ids.europe}`), { iberia: { lisboa: {} } })
  assert.deepEqual(await tree(`&search=tokyo&parentId=${ids.europe}`), {})
  assert.equal((await list('?tree=true&search=o&limit=1')).total, 2)
})

it('refuses malformed parameters', async () => {
  const bad = [
    'limit=0',
    'limit=101',
    'page=0',
    'sortBy=constructor',
    'sortBy=phone',
    'sortDir=up',
    'status=gone',
    'parentId=x',
    'parentId=null',
    'tree=1',
    'tree=true&tree=true',
    'search=%00',
  ]
  for (const query of bad) assertProblem(await ann.api.get(`/companies/branches?${query}`), 400, 'validation_failed')
})

it('includes as many whole levels of a tree as have 1,000 branches, and says where more are below', async () => {
  const eve = await signUp(service.client)
  const branch = (id: string, parent: string, name: string) =>
    `select (${id})::uuid, (${parent})::uuid, ${name}, lower(${name}), lower(${name}) from generate_series(1, 30) a`
  const idOf = (numbers: string) =>
    `overlay(overlay(md5('${eve.company.id}' || ${numbers}) placing '4' from 13) placing '8' from 17)`
  const insert = (rows: string) =>
    service.db.query(
      `insert into branches (company_id, id, parent_id, name, name_folded, name_key) select '${eve.company.id}', * from (${rows}) rows`,
    )
  await insert(branch(idOf('a'), 'null', `'t' || a`))
  await insert(`${branch(idOf(`a || '-' || b`), idOf('a'), `'t' || a || '-' || b`)}, generate_series(1, 20) b`)
  await insert(
    `${branch(idOf(`a || '-' || b || '-1'`), idOf(`a || '-' || b`), `'t' || a || '-' || b || '-1'`)}, generate_series(1, 15) b`,
  )

  const { status, body } = await eve.api.get('/companies/branches?tree=true&limit=30')
  assert.equal(status, 200, JSON.stringify(body))
  const { data, total } = body
  assert.deepEqual([data.length, total], [30, 30])
  for (const { children } of data as Item[]) {
    assert.equal(children?.length, 20)
    // 15 of them have a branch below, which would be the 631st to the 1,080th.
    assert.equal(children?.filter((child) => child.children === undefined).length, 15)
  }
  const below = (await eve.api.get(`/companies/branches?tree=true&parentId=${data[0].id}`)).body.data
  assert.equal(below.flatMap(({ children }: Item) => children).length, 15)
})
