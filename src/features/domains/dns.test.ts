import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { type Entry, startDnsServer } from '../../../test/support/dns-server.ts'
import { canResolve, checkRecord, recordOf } from './dns.ts'

const server = await startDnsServer()
after(() => server.close())

const token = 'a'.repeat(32)
const { value } = recordOf({ name: 'x', token })

let names = 0
async function check(entry: Entry | undefined, others: Record<string, Entry> = {}) {
  const name = `corp-${names++}.example`
  if (entry) server.zone.set(`_tenantry.${name}`, entry)
  for (const [other, its] of Object.entries(others)) server.zone.set(other, its)
  return checkRecord([server.address], { name, token })
}

describe('the record of a domain', () => {
  it('is found among others, whole or in several strings', async () => {
    assert.equal(await check({ txt: [value] }), 'found')
    assert.equal(await check({ txt: ['v=spf1 -all', value] }), 'found')
    assert.equal(await check({ txt: [[Buffer.from(value.slice(0, 20)), Buffer.from(value.slice(20))]] }), 'found')
    assert.equal(await check({ txt: [[...value].map((sign) => Buffer.from(sign))] }), 'found')
    assert.equal(await check({ txt: ['x'.repeat(900), value] }), 'found')
  })

  it('is one whole record with exactly this text', async () => {
    const [first, second] = [value.slice(0, 20), value.slice(20)]
    for (const txt of [
      [`${value} `],
      [` ${value}`],
      [`"${value}"`],
      [value.toUpperCase()],
      [`${value}\0`],
      [`\0${value}`],
      [`${value}\n${value}`],
      [`${value}${'x'.repeat(255)}`],
      [`x${value}`],
      [first, second],
      [token],
      [''],
      [Buffer.from([0xff, 0xfe, 0x00, 0x80])],
      [[Buffer.alloc(0), Buffer.alloc(0)]],
    ])
      assert.equal(await check({ txt }), 'different', JSON.stringify(txt))
  })

  it('is found behind an alias, as resolvers follow it', async () => {
    assert.equal(await check({ cname: 'proof.other.example' }, { 'proof.other.example': { txt: [value] } }), 'found')
    assert.equal(await check({ cname: 'nothing.other.example' }), 'missing')
  })

  it('is found by TCP when the answer is too long for UDP', async () => {
    const txt = [...Array.from({ length: 200 }, (_, number) => `${number}${'x'.repeat(250)}`), value]
    assert.equal(await check({ isTruncated: true, txt }), 'found')
    assert.ok(server.asked.tcp.length > 0)
  })

  it('is missing where the name or the record does not exist', async () => {
    assert.equal(await check(undefined), 'missing')
    assert.equal(await check({}), 'missing')
    assert.equal(await check({ rcode: 3 }), 'missing')
  })

  it('is unanswered within two seconds where a server fails, refuses, talks garbage or is silent', async () => {
    for (const entry of [
      { rcode: 2 },
      { rcode: 5 },
      { garbage: Buffer.from('ff') },
      { garbage: Buffer.alloc(600, 0xc0) },
      { isSilent: true },
    ]) {
      const started = performance.now()
      assert.equal(await check(entry), 'unanswered', JSON.stringify(entry))
      const elapsedMs = performance.now() - started
      assert.ok(elapsedMs < 2500, `${elapsedMs} ms`)
    }
    const { address } = await startAndClose()
    assert.equal(await checkRecord([address], { name: 'corp.example', token }), 'unanswered')
  })
})

describe('the name servers', () => {
  it('are asked for the root to tell whether they answer at all', async () => {
    assert.equal(await canResolve([server.address]), true)
    const { address } = await startAndClose()
    assert.equal(await canResolve([address]), false)
  })
})

async function startAndClose() {
  const closed = await startDnsServer()
  await closed.close()
  return closed
}
