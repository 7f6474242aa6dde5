import assert from 'node:assert/strict'
import { it } from 'node:test'
import { z } from 'zod'
import { addedField } from '../lib/added-fields.ts'
import { JsonText } from '../lib/json-text.ts'
import { pageOf } from './envelope.ts'
import { serializer, withAddedFields } from './schemas.ts'
import { etagOf } from './versions.ts'

const schema = pageOf(z.object({ id: z.int(), name: z.string().nullable() }))
const bodyWith = (text: string) => ({ success: true, data: new JsonText(text), total: 1, page: 1, limit: 20 })

it('is sent as it is, in the envelope of its schema', () => {
  const item = { id: 1, name: 'Zoë "\n\u2028' }
  const expected = JSON.stringify({ success: true, data: [item], total: 1, page: 1, limit: 20 })
  for (const validate of [false, true])
    assert.equal(serializer(schema, { validate })(bodyWith(JSON.stringify([item]))), expected)
})

it('stops a test when it is not what the schema would write', () => {
  const send = serializer(schema, { validate: true })
  const wrong = {
    'another type': '[{"id":"1","name":"a"}]',
    'a missing key': '[{"id":1}]',
    'an undeclared key': '[{"id":1,"name":"a","secret":"b"}]',
    'another order': '[{"name":"a","id":1}]',
    spaces: '[{"id": 1, "name": "a"}]',
    'another escape': '[{"id":1,"name":"\\u0061"}]',
    'no JSON': '[{"id":1,"name":"a"}',
  }
  for (const [what, text] of Object.entries(wrong)) assert.throws(() => send(bodyWith(text)), Error, what)
})

it('is filled up where the last release has stored it, and nowhere else', () => {
  const later = z.object({ id: z.int(), second_factor: addedField(z.boolean(), false) })
  assert.deepEqual(withAddedFields(later, { id: 1 }), { id: 1, second_factor: false })
  for (const validate of [false, true])
    assert.throws(() => serializer(later, { validate })({ id: 1 }), /"second_factor" is required/)
})

it('has no version, because its text is not the resource', () => {
  assert.throws(() => etagOf(new JsonText('{}')), /only be sent/)
})
