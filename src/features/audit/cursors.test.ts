import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { addRecords } from '../../../test/support/audit.ts'
import { assertProblem, type Person, signUp } from '../../../test/support/people.ts'

const service = await useTestApp()

describe('a cursor', () => {
  let ann: Person
  let cursor: string
  before(async () => {
    ann = await signUp(service.client)
    await addRecords(service, ann.company.id, 5)
    cursor = (await ann.api.get('/companies/audit?limit=2&action=branches.update')).body.nextCursor
  })
  const refused = async (by: Person, query: string) =>
    assertProblem(await by.api.get(`/companies/audit?${query}`), 400, 'cursor_invalid')

  it('can be used with another limit, and there is none on the last page', async () => {
    const { body } = await ann.api.get(`/companies/audit?limit=3&action=branches.update&cursor=${cursor}`)
    assert.equal(body.data.length, 3)
    assert.deepEqual([body.nextCursor, body.hasNext, body.limit], [null, false, 3])
  })

  it('is valid for its filter alone', async () => {
    for (const query of [
      '',
      'action=branches.delete',
      'action=branches.update&outcome=done',
      'outcome=done',
      'targetType=branch',
    ])
      await refused(ann, `${query}&cursor=${cursor}`)
  })

  it('is valid for its company alone', async () => {
    await refused(await signUp(service.client), `action=branches.update&cursor=${cursor}`)
    const other = await ann.api.post('/companies', { name: 'Another', taxId: '2' })
    const there = { ...ann, api: ann.api.with({ company: other.body.data.id }) }
    await refused(there, `action=branches.update&cursor=${cursor}`)
  })

  it('can’t be made, changed or written in another way', async () => {
    const middle = cursor.length >> 1
    const flipped = cursor[middle] === 'A' ? 'B' : 'A'
    const forged = Buffer.concat([Buffer.alloc(16), Buffer.from('["2030-01-01T00:00:00.000Z","x"]')]).toString(
      'base64url',
    )
    const bad = [
      'x',
      'null',
      '%00',
      '[]',
      cursor.slice(1),
      cursor.slice(0, -1),
      `${cursor}A`,
      `${cursor}=`,
      ` ${cursor}`,
      `${cursor}%20`,
      cursor.slice(0, middle) + flipped + cursor.slice(middle + 1),
      cursor.toUpperCase(),
      forged,
      cursor.slice(0, 21),
      `.${cursor}`,
    ]
    for (const each of bad) await refused(ann, `action=branches.update&cursor=${each}`)
  })
})
