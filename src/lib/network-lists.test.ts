import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { contains, NetworkText, withoutContained } from './network-lists.ts'

const read = (text: string) => NetworkText.safeParse(text)

it('reads addresses and networks in one spelling', () => {
  const spellings: Record<string, string> = {
    '203.0.113.7': '203.0.113.7/32',
    ' 10.0.0.0/8 ': '10.0.0.0/8',
    '2001:DB8::/32': '2001:db8::/32',
    '2001:0db8:0:0:0:0:0:1': '2001:db8::1/128',
    '::ffff:192.0.2.0/120': '192.0.2.0/24',
    '::ffff:c000:201': '192.0.2.1/32',
    'fe80::1': 'fe80::1/128',
  }
  for (const [text, expected] of Object.entries(spellings)) assert.equal(read(text).data, expected, text)
})

it('refuses what is no network, what has digits behind its prefix, and all addresses at once', () => {
  const refused = [
    ...[
      '',
      'x',
      '1.2.3',
      '010.0.0.1',
      '0x7f.0.0.1',
      '2130706433',
      '1.2.3.4/33',
      '1.2.3.4/-1',
      '1.2.3.4/08',
      '1.2.3.4/8/8',
    ],
    ...[
      '1.2.3.4/ 8',
      '1.2.3.4/',
      'fe80::1%eth0',
      '::1/129',
      '[::1]',
      '1.2.3.4:80',
      '1.2.3.4\0',
      '１.2.3.4',
      '10.0.0.1/8',
    ],
    ...[
      '0.0.0.0/0',
      '::/0',
      '::ffff:0:0/96',
      '::ffff:10.0.0.0/90',
      '2001:db8::1/32',
      `${'0'.repeat(99)}::`,
      'localhost',
    ],
  ]
  for (const text of refused) assert.equal(read(text).success, false, text)
})

it('keeps of overlapping networks the widest', () => {
  const list = [
    '10.1.0.0/16',
    '10.0.0.0/8',
    '10.0.0.0/8',
    '192.0.2.1/32',
    '2001:db8::/32',
    '2001:db8:1::/48',
    '::a00:0/104',
  ]
  assert.deepEqual(withoutContained(list.map((text) => read(text).data as string)), [
    '10.0.0.0/8',
    '192.0.2.1/32',
    '2001:db8::/32',
    '::a00:0/104',
  ])
  assert.equal(contains('10.0.0.0/8', '2001:db8::/32'), false)
})

it('never reads anything as another address than the one it names', () => {
  const octet = fc.integer({ min: 0, max: 255 })
  fc.assert(
    fc.property(fc.tuple(octet, octet, octet, octet), fc.integer({ min: 1, max: 32 }), (octets, bits) => {
      const value = octets.reduce((all, part) => all * 256 + part, 0)
      const rest = 2 ** (32 - bits)
      const result = read(`${octets.join('.')}/${bits}`)
      assert.equal(result.success, value % rest === 0)
      if (result.success) assert.equal(result.data, `${octets.join('.')}/${bits}`)
    }),
  )
  fc.assert(fc.property(fc.string({ maxLength: 80 }), (text) => void read(text)))
})
