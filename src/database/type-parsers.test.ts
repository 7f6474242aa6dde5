import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { type OpenDatabase, openTestDatabase } from '../../test/support/postgres.ts'
import { asAnyone } from './scopes.ts'

let open: OpenDatabase
before(async () => {
  open = await openTestDatabase()
})
after(() => open.close())

async function comesBack(value: unknown, type: 'text[]' | 'uuid[]'): Promise<void> {
  const tx = open.database.autocommit(asAnyone)
  const { rows } = await sql<{ value: unknown }>`select ${value}::${sql.raw(type)} as value`.execute(tx)
  assert.deepEqual(rows[0]?.value, value)
}

describe('arrays', () => {
  it('come back as they were sent', async () => {
    const difficult = fc.constantFrom(
      'NULL',
      'null',
      '',
      ' ',
      ',',
      '{',
      '}',
      '{a}',
      '"',
      '\\\\',
      'a,b',
      ' a ',
      '\\n',
      'users:read',
    )
    const text = fc.oneof(
      difficult,
      fc.string({ unit: 'grapheme' }).filter((value) => !value.includes('\0')),
    )
    const texts = fc.array(fc.oneof({ weight: 9, arbitrary: text }, fc.constant(null)), { maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(texts, (value) => comesBack(value, 'text[]')),
      { numRuns: 300 },
    )
    await fc.assert(fc.asyncProperty(fc.array(fc.uuid(), { maxLength: 5 }), (value) => comesBack(value, 'uuid[]')))
  })

  it('are read with more than one dimension and with another first index', async () => {
    const tx = open.database.autocommit(asAnyone)
    const { rows } = await sql`select '{{a,b},{c,d}}'::text[] as nested, '[0:1]={a,b}'::text[] as shifted`.execute(tx)
    assert.deepEqual(rows, [
      {
        nested: [
          ['a', 'b'],
          ['c', 'd'],
        ],
        shifted: ['a', 'b'],
      },
    ])
  })
})
