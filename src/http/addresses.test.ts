import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startTestApp, useTestApp } from '../../test/support/app.ts'
import { freshAddress, from, limitsIn, nothing, repeat, servedOf } from '../../test/support/http.ts'
import { registration } from '../../test/support/people.ts'

const ON = { RATE_LIMIT_ENABLED: 'true' }

// Tests send requests from many addresses, as through a proxy, each from its own.
const service = await useTestApp({ ...ON, TRUST_PROXY: 'loopback' })

describe('limits are counted', () => {
  it('for each address separately', async () => {
    const [one, other] = [from(freshAddress()), from(freshAddress())]
    await repeat(30, () => nothing(service, one))
    assert.equal((await nothing(service, one)).status, 429)
    assert.equal((await nothing(service, other)).status, 404)
  })

  it('for the peer, ignoring its headers, when no proxy is trusted', async () => {
    const alone = await startTestApp(ON, service.db)
    try {
      const claims = [
        'x-forwarded-for',
        'x-real-ip',
        'forwarded',
        'client-ip',
        'true-client-ip',
        'cf-connecting-ip',
        'via',
      ]
      const send = (i: number) => {
        const value = i % 2 ? `198.51.100.${i}` : `for=198.51.100.${i}`
        return nothing(alone, { headers: Object.fromEntries(claims.map((name) => [name, value])) })
      }
      const statuses = []
      for (let i = 0; i < 33; i++) statuses.push((await send(i)).status)
      assert.equal(servedOf(statuses), 30)
    } finally {
      await alone.close()
    }
  })

  it('for the peer when only another proxy is trusted', async () => {
    const behind = await startTestApp({ ...ON, TRUST_PROXY: '10.0.0.0/8, 2001:db8::/32' }, service.db)
    try {
      const statuses = []
      for (let i = 0; i < 31; i++) statuses.push((await nothing(behind, from(`198.51.100.${i}`))).status)
      assert.equal(servedOf(statuses), 30)
    } finally {
      await behind.close()
    }
  })

  it('for the last address before the trusted proxies, ignoring addresses further left', async () => {
    const address = freshAddress()
    const statuses = []
    for (let i = 0; i < 31; i++) {
      const chain = [`198.51.100.${i}`, 'forged', address, ...(i % 2 ? ['127.0.0.9'] : [])]
      statuses.push((await nothing(service, from(chain.join(i % 3 ? ', ' : ',')))).status)
    }
    assert.equal(servedOf(statuses), 30)
  })

  it('for the proxy itself when it forwards a malformed address', async () => {
    const behind = await startTestApp({ ...ON, TRUST_PROXY: 'loopback' }, service.db)
    try {
      const garbage = [
        'unknown',
        '1.2.3.4.5',
        '999.1.1.1',
        '::g',
        '_hidden',
        "'; drop",
        '1.2.3.4:80',
        '%00',
        'é',
        ',,',
        ' ',
      ]
      for (const [index, text] of garbage.entries()) {
        const { status, headers } = await nothing(behind, from(text))
        assert.deepEqual([status, limitsIn(headers.get('ratelimit')).general?.r], [404, 29 - index], text)
      }
      const ann = await behind.client.post('/auth/register', registration(), from('unknown'))
      assert.equal(ann.status, 201)
      const sessions = await behind.client.get('/auth/sessions', { token: ann.body.data.accessToken })
      assert.equal(sessions.body.data[0].ip, '::')
    } finally {
      await behind.close()
    }
  })

  it('for an IPv6 /64 as a whole, in any spelling', async () => {
    const spellings = [
      '2001:db8:1:2::7',
      '2001:DB8:1:2:ffff:ffff:ffff:fffe',
      '2001:0db8:0001:0002::',
      '2001:db8:1:2:0:0:0:9%eth0',
    ]
    for (let i = 0; i < 28; i++) await nothing(service, from(spellings[i % 4] as string))
    assert.equal((await nothing(service, from('2001:db8:1:2:3::'))).status, 404)
    assert.equal((await nothing(service, from('2001:db8:1:2:3:4:5:6'))).status, 404)
    assert.equal((await nothing(service, from('2001:db8:1:2:aaaa::1'))).status, 429)
    assert.equal((await nothing(service, from('2001:db8:1:3::7'))).status, 404)
  })

  it('for an IPv4 address also when it is written as IPv6', async () => {
    const address = freshAddress()
    for (let i = 0; i < 30; i++) await nothing(service, from(i % 2 ? `::ffff:${address}` : `::FFFF:${address}`))
    assert.equal((await nothing(service, from(address))).status, 429)
  })
})

it('with one warning about a trusted proxy that forwards what is no address', async () => {
  const app = await startTestApp({ TRUST_PROXY: 'loopback' }, service.db)
  try {
    for (const address of ['203.0.113.7', '203.0.113.7:4711', 'unknown']) await nothing(app, from(address))
    const warnings = app.logged.map((line) => JSON.parse(line)).filter(({ level }) => level === 40)
    assert.deepEqual(
      warnings.map(({ ip }) => ip),
      ['127.0.0.1'],
    )
    assert.match(warnings[0].msg, /no address/)
  } finally {
    await app.close()
  }
})

it('with one warning about a forwarding header from a peer outside TRUST_PROXY, and none about trusted peers', async () => {
  for (const [TRUST_PROXY, count] of [
    ['', 1],
    ['192.0.2.0/24', 1],
    ['loopback', 0],
  ] as const) {
    const app = await startTestApp({ TRUST_PROXY }, service.db)
    try {
      await nothing(app)
      for (const header of ['x-forwarded-for', 'Forwarded', 'x-real-ip'])
        await nothing(app, { headers: { [header]: '203.0.113.7' } })
      const warnings = app.logged.map((line) => JSON.parse(line)).filter(({ level }) => level === 40)
      assert.deepEqual(
        warnings.map(({ header, ip }) => ({ header, ip })),
        Array(count).fill({ header: 'x-forwarded-for', ip: '127.0.0.1' }),
      )
      for (const { msg } of warnings) assert.match(msg, /TRUST_PROXY/)
    } finally {
      await app.close()
    }
  }
})
