import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { addMember, join, rolesOf } from '../../../test/support/members.ts'
import { assertProblem, signUp } from '../../../test/support/people.ts'

const service = await useTestApp()
const ann = await signUp(service.client, { name: 'Ann' })
const names = [
  'Élodie Brontë',
  'elodie brown',
  'José 100% Núñez',
  'Jose_Maria',
  'Zoë \\ Back',
  'łukasz',
  'Straße',
  'bob',
  'Bob',
  'ÖMER',
]
before(async () => {
  for (const name of names) await addMember(ann, { name })
})

interface Item {
  id: string
  name: string
  email: string
  status: string
  created_at: string
}
const list = async (query = '') => (await ann.api.get(`/companies/users${query}`)).body
const found = async (search: string) =>
  (await list(`?search=${encodeURIComponent(search)}`)).data.map(({ name }: Item) => name).sort()

it('sorts by name, ignoring letter case and accents, then by id', async () => {
  const { data, total } = await list()
  assert.equal(total, 11)
  const order = data.map(({ name }: Item) => name)
  const bobs = data.filter(({ name }: Item) => /^bob$/i.test(name))
  assert.deepEqual(
    order.map((name: string) => name.toLowerCase()),
    [
      'ann',
      'bob',
      'bob',
      'élodie brontë',
      'elodie brown',
      'josé 100% núñez',
      'jose_maria',
      'łukasz',
      'ömer',
      'straße',
      'zoë \\ back',
    ],
  )
  assert.ok(bobs[0].id < bobs[1].id)
})

it('sorts by each column in both directions, with pages that do not overlap', async () => {
  for (const column of ['name', 'email', 'created_at', 'status'] as const) {
    const whole = (await list(`?sortBy=${column}&limit=100`)).data.map(({ id }: Item) => id)
    const reversed = (await list(`?sortBy=${column}&sortDir=desc&limit=100`)).data.map(({ id }: Item) => id)
    assert.deepEqual(reversed, [...whole].reverse())
    const paged: string[] = []
    for (let page = 1; page <= 6; page++) {
      const part = await list(`?sortBy=${column}&limit=2&page=${page}`)
      assert.deepEqual([part.total, part.page, part.limit], [11, page, 2])
      paged.push(...part.data.map(({ id }: Item) => id))
    }
    assert.deepEqual(paged, whole)
    // A search returns the same order by another query.
    const searched = (await list(`?sortBy=${column}&limit=100&search=example`)).data.map(({ id }: Item) => id)
    assert.deepEqual(searched, whole)
  }
  assert.deepEqual((await list('?page=1000000')).data, [])
})

it('searches name and address, ignoring letter case and accents', async () => {
  assert.deepEqual(await found('ELODIE BRO'), ['elodie brown', 'Élodie Brontë'])
  assert.deepEqual(await found('brönté'), ['Élodie Brontë'])
  assert.deepEqual(await found('jose'), ['Jose_Maria', 'José 100% Núñez'])
  assert.deepEqual(await found('nunez'), ['José 100% Núñez'])
  assert.deepEqual(await found('LUKASZ'), ['łukasz'])
  assert.deepEqual(await found('strasse'), ['Straße'])
  assert.deepEqual(await found('mer'), ['ÖMER'])
  const { data } = await list(`?search=${ann.email.slice(0, 9).toUpperCase()}`)
  assert.deepEqual(
    data.map(({ id }: Item) => id),
    [ann.id],
  )
})

it('takes %, _ and \\ literally', async () => {
  assert.deepEqual(await found('100%'), ['José 100% Núñez'])
  assert.deepEqual(await found('e_m'), ['Jose_Maria'])
  assert.deepEqual(await found('\\'), ['Zoë \\ Back'])
  assert.deepEqual(await found('%'), ['José 100% Núñez'])
  assert.deepEqual(await found("'; drop table accounts --"), [])
})

it('filters by status and role, alone and combined, with exact totals', async () => {
  const roles = await rolesOf(ann)
  const carl = await addMember(ann, { name: 'Carl Filter', roles: ['Manager'] })
  await ann.api.patch(`/companies/users/${carl.id}`, { status: 'inactive' })
  const total = async (query: string) => (await list(query)).total
  assert.deepEqual(
    [await total('?status=active'), await total('?status=inactive'), await total(`?roleId=${roles.Manager}`)],
    [11, 1, 1],
  )
  assert.equal(await total(`?roleId=${roles.Member}&status=inactive`), 0)
  assert.equal(await total(`?roleId=${roles.Manager?.toUpperCase()}&status=inactive&search=filter`), 1)
  assert.equal(await total(`?roleId=${roles.Member}`), 10)
  await ann.api.delete(`/companies/users/${carl.id}`)
  assert.equal(await total('?status=inactive'), 0)
})

it('refuses malformed parameters', async () => {
  const bad = ['limit=0', 'limit=101', 'limit=x', 'limit=1.5', 'page=0', 'page=-1', 'page=1e3', 'sortBy=constructor']
  const worse = [
    'sortDir=up',
    'status=gone',
    'roleId=x',
    'limit=1&limit=2',
    'search=a&search=b',
    'sortBy=password',
    'search=%00',
  ]
  for (const query of [...bad, ...worse]) {
    assertProblem(await ann.api.get(`/companies/users?${query}`), 400, 'validation_failed')
  }
  assert.equal((await list('?unknown=1&limit=100')).total, 11)
})

it('reflects a change of name or address', async () => {
  const bob = await join(ann, await signUp(service.client, { name: 'Before' }))
  await bob.api.put('/auth/profile', { name: 'Áfter' })
  assert.deepEqual(await found('before'), [])
  assert.deepEqual(await found('after'), ['Áfter'])
  await ann.api.delete(`/companies/users/${bob.id}`)
})

it('lists the roles of the company and the catalogue of permissions', async () => {
  const { body } = await ann.api.get('/companies/roles?sortBy=name')
  assert.deepEqual(
    body.data.map(({ name }: Item) => name),
    ['Admin', 'Manager', 'Member', 'Owner'],
  )
  assert.deepEqual([body.total, body.page, body.limit], [4, 1, 20])
  const owner = body.data[3]
  assert.deepEqual([owner.isSystem, owner.memberCount], [true, 1])
  const catalogue = (await ann.api.get('/companies/permissions')).body.data
  assert.deepEqual(new Set(owner.permissions), new Set(catalogue.map(({ name }: Item) => name)))
  for (const { name, resource, action, description, group } of catalogue) {
    assert.equal(name, `${resource}:${action}`)
    assert.ok(description && group)
  }
})
