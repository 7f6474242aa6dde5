import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, it } from 'node:test'
import { createTestDatabase } from '../../test/support/database.ts'
import { anyText } from '../../test/support/texts.ts'
import { isoTime, jsonArrayOf } from './json.ts'
import { typeParser } from './type-parsers.ts'

const db = await createTestDatabase()
after(() => db.drop())

const written = async (query: string, values: unknown[] = []) =>
  (await db.query<{ text: string }>(`select ${jsonArrayOf(query)} as text`, values))[0]?.text

it('writes every character as JSON.stringify does', async () => {
  const characters = Array.from({ length: 0xffff }, (_, index) => String.fromCharCode(index + 1))
  const all = characters.filter((each) => each.isWellFormed()).join('')
  const astral = '\u{1f600}\u{e0041}\u{10ffff}\u{2028e}'
  for (const text of [all, astral, ''])
    assert.equal(await written('select $1::text as text', [text]), JSON.stringify([{ text }]))
})

it('writes rows of hostile texts as JSON.stringify does', async () => {
  for (let i = 0; i < 100; i++) {
    const row = {
      b: anyText(),
      a: [anyText(), anyText()],
      ids: [],
      none: null,
      yes: true,
      no: false,
      n: randomInt(1e6),
    }
    const query = `select $1::text as b, $2::text[] as a, '{}'::uuid[] as ids, null::text as none, true as yes, false as no,
      $3::integer as n from generate_series(1, 2)`
    assert.equal(await written(query, [row.b, row.a, row.n]), JSON.stringify([row, row]))
  }
  assert.equal(await written('select 1 where false'), '[]')
})

it('writes a time as a row of the driver has it', async () => {
  const readTime = typeParser(1184)
  const times = ['0001-01-01 00:00:00+00', '9999-12-31 23:59:59.999999+00', '2026-11-20 20:37:11.0009+00']
  for (let i = 0; i < 100; i++)
    times.push(new Date(randomInt(2 ** 42)).toISOString().replace('Z', `${randomInt(1000)}Z`))
  for (const time of times) {
    const [row] = await db.query<{ text: string; iso: string }>(
      `select ($1::timestamptz at time zone 'UTC')::text || '+00' as text, ${isoTime('$1::timestamptz')} as iso`,
      [time],
    )
    assert.equal(row?.iso, readTime(row?.text as string), time)
  }
})
