import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { assertProblem, type Person, registration, signUp } from '../../../test/support/people.ts'

const service = await useTestApp()

const found = ({ api }: Person, name: string, slug?: string) => api.post('/companies', { name, taxId: '1', slug })
/** A word of a-z that is unique among all tests. */
const aWord = () => `w${randomUUID().replace(/[^a-f]/g, '')}${Date.now().toString(36).replace(/\d/g, 'z')}`

const RESERVED = 'www api app admin auth console docs help login mail root static status support system'.split(' ')

it('refuses slugs that are host names of the operator, as if they were taken', async () => {
  const ann = await signUp(service.client)
  const { id } = ann.company
  for (const slug of [...RESERVED, 'xn--80ak6aa92e']) {
    assertProblem(await found(ann, 'Acme', slug), 409, 'slug_taken')
    assertProblem(await ann.api.patch(`/companies/${id}`, { slug }), 409, 'slug_taken')
    assertProblem(await service.client.post('/auth/register', registration({ slug })), 409, 'slug_taken')
  }
  assert.equal((await ann.api.get(`/companies/${id}`)).body.data.slug, ann.company.slug)
})

it('adds random letters to a generated slug that is reserved', async () => {
  const ann = await signUp(service.client)
  for (const name of RESERVED) {
    for (const spelled of [name, ` ${name.toUpperCase()}! `]) {
      const { status, body } = await found(ann, spelled)
      assert.equal(status, 201)
      assert.match(body.data.slug, new RegExp(`^${name}-[a-z]{8}$`))
    }
  }
})

it('keeps a slug that a company had before it became reserved', async () => {
  const ann = await signUp(service.client)
  const { id } = ann.company
  await service.db.query(`update companies set slug = 'support' where id = $1`, [id])
  const { status, body } = await ann.api.patch(`/companies/${id}`, { name: 'Acme', slug: 'support' })
  assert.deepEqual([status, body.data.slug], [200, 'support'])
})

it('creates companies whose names differ only in characters that a slug cannot have', async () => {
  const ann = await signUp(service.client)
  const word = aWord()
  const names = [
    `${word} 株式会社`,
    `${word} 有限会社`,
    `${word} ½`,
    `${word}ĸ`,
    `${word} שלום`,
    `${`${word} `.padEnd(80, 'long ')}North`,
    `${`${word} `.padEnd(80, 'long ')}South`,
  ]
  const slugs = []
  for (const name of [...names, ...names]) {
    const { status, body } = await found(ann, name)
    assert.equal(status, 201, name)
    assert.match(body.data.slug, new RegExp(`^${word}[a-z-]*-[a-z]{8}$`))
    assert.ok(body.data.slug.length <= 63)
    slugs.push(body.data.slug)
  }
  assert.equal(new Set(slugs).size, slugs.length)
})

it('derives a plain slug from a name without lost characters', async () => {
  const ann = await signUp(service.client)
  const word = aWord()
  const cases: Record<string, string> = {
    [`${word} Łódź`]: `${word}-lodz`,
    [`${word} Straße & Co.`]: `${word}-strasse-and-co`,
    [`${word} Сталь`]: `${word}-stal`,
    [`${word} Ελλάδα 7`]: `${word}-ellada-7`,
  }
  for (const [name, slug] of Object.entries(cases)) assert.equal((await found(ann, name)).body.data.slug, slug)
})

it('reports a name in use, by a present, a renamed or a parallel company', async () => {
  const ann = await signUp(service.client)
  const name = aWord()
  const both = [
    () => found(ann, name.toUpperCase()),
    () => service.client.post('/auth/register', registration({ companyName: name })),
  ]
  const first = await Promise.all([...both, ...both, ...both].map((ask) => ask()))
  assert.deepEqual(first.map(({ status }) => status).sort(), [201, ...Array(5).fill(409)])
  for (const answer of first.filter(({ status }) => status === 409)) {
    assertProblem(answer, 409, 'company_name_taken')
    assert.match(answer.body.message, /company with this name/)
  }
  await service.db.query(`update companies set slug = $2 where slug = $1`, [name, aWord()])
  for (const ask of both) assertProblem(await ask(), 409, 'company_name_taken')
  assertProblem(await found(ann, name, name), 409, 'slug_taken')
  assert.equal((await found(ann, name, aWord())).status, 201)
})
