import assert from 'node:assert/strict'
import { it } from 'node:test'
import { addressesIn } from './proxies.ts'

it('matches addresses, networks and names of ranges, in every spelling of an address', () => {
  const lists: [string[], string[], string[]][] = [
    [['loopback'], ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', '0:0:0:0:0:0:0:1'], ['128.0.0.1', '::2']],
    [['192.0.2.7'], ['192.0.2.7', '::ffff:192.0.2.7'], ['192.0.2.8']],
    [
      ['192.0.2.0/24', '2001:db8::/32'],
      ['192.0.2.255', '2001:DB8:1::'],
      ['192.0.3.0', '2001:db9::'],
    ],
    [['2001:db8::7'], ['2001:db8:0::7'], ['2001:db8::8']],
    [['::ffff:10.0.0.0/104'], ['10.1.2.3', '::ffff:10.1.2.3'], ['11.0.0.1']],
    [
      ['linklocal', 'uniquelocal'],
      ['fe80::1%eth0', '169.254.1.1', '10.0.0.1', '172.31.0.1', 'fd00::1'],
      ['172.32.0.1'],
    ],
    [[], [], ['127.0.0.1', '::1', '', 'unknown', '999.1.1.1', '127.0.0.1:80']],
  ]
  for (const [list, within, outside] of lists) {
    const isKnown = addressesIn(list)
    for (const address of within) assert.equal(isKnown(address), true, `${address} in ${list}`)
    for (const address of [...outside, 'garbage']) assert.equal(isKnown(address), false, `${address} in ${list}`)
  }
})
