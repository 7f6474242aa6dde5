import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { keysFrom } from './keys.ts'
import { seal, unseal } from './sealed.ts'

const [former, next, foreign] = ['former', 'next', 'foreign'].map((name) => `${name}-secret-of-more-than-32-characters`)
const keys = keysFrom(former as string)
const place = { table: 'second_factors', column: 'secret', rowId: '0199d0c0-0000-7000-8000-000000000001' }
const SECRET = 'JBSWY3DPEHPK3PXP'

describe('a sealed value', () => {
  it('opens in its place, also with the next APP_SECRET while the former one is known', () => {
    const sealed = seal(keys, place, SECRET)
    assert.equal(unseal(keys, place, sealed), SECRET)
    assert.equal(unseal(keysFrom(next as string, former), place, sealed), SECRET)
    assert.ok(!sealed.includes(SECRET))
  })

  it('is another one each time', () => {
    assert.notDeepEqual(seal(keys, place, SECRET), seal(keys, place, SECRET))
  })

  it('names its place and no more when it can’t be opened', () => {
    const sealed = seal(keys, place, SECRET)
    const flipped = (at: number) => sealed.with(at, (sealed[at] as number) ^ 1)
    const cases: [what: string, open: () => string][] = [
      ['another row', () => unseal(keys, { ...place, rowId: '0199d0c0-0000-7000-8000-000000000002' }, sealed)],
      ['another column', () => unseal(keys, { ...place, column: 'other' }, sealed)],
      ['another table', () => unseal(keys, { ...place, table: 'other' }, sealed)],
      ['another APP_SECRET', () => unseal(keysFrom(foreign as string), place, sealed)],
      ...[0, 31, 32, 43, 44, 59, 60, sealed.length - 1].map((at): [string, () => string] => [
        `a flipped bit in byte ${at}`,
        () => unseal(keys, place, Buffer.from(flipped(at))),
      ]),
      ...[0, 1, 31, 32, 40, 59, 60, sealed.length - 1].map((length): [string, () => string] => [
        `${length} bytes of it`,
        () => unseal(keys, place, sealed.subarray(0, length)),
      ]),
      ['more than it', () => unseal(keys, place, Buffer.concat([sealed, Buffer.alloc(1)]))],
    ]
    for (const [what, open] of cases)
      assert.throws(open, ({ message, stack, cause }: Error) => {
        assert.match(message, /^\w+\.\w+ of the row 0199d0c0-\S+ (was sealed by a key|is not what)/, what)
        assert.equal(cause, undefined)
        return !`${stack}`.includes(SECRET)
      })
  })
})
