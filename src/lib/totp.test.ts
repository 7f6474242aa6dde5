import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { CROCKFORD, fromBase32, STANDARD, toBase32 } from './base32.ts'
import { createTotpSecret, findTotpStep, totpCode, totpStepAt, totpUri } from './totp.ts'

describe('base32', () => {
  it('is that of RFC 4648, without padding', () => {
    const vectors = {
      '': '',
      f: 'MY',
      fo: 'MZXQ',
      foo: 'MZXW6',
      foob: 'MZXW6YQ',
      fooba: 'MZXW6YTB',
      foobar: 'MZXW6YTBOI',
    }
    for (const [text, encoded] of Object.entries(vectors)) assert.equal(toBase32(Buffer.from(text), STANDARD), encoded)
  })

  it('gives back what was encoded', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.constantFrom(STANDARD, CROCKFORD), (bytes, alphabet) => {
        assert.deepEqual(fromBase32(toBase32(Buffer.from(bytes), alphabet), alphabet), Buffer.from(bytes))
      }),
    )
  })
})

describe('a code of an app', () => {
  it('is that of RFC 6238, appendix B', () => {
    const secret = toBase32(Buffer.from('12345678901234567890'), STANDARD)
    const vectors: [seconds: number, code: string][] = [
      [59, '94287082'],
      [1_111_111_109, '07081804'],
      [1_111_111_111, '14050471'],
      [1_234_567_890, '89005924'],
      [2_000_000_000, '69279037'],
      [20_000_000_000, '65353130'],
    ]
    for (const [seconds, code] of vectors) {
      assert.equal(totpCode(secret, totpStepAt(seconds * 1000), 8), code)
      assert.equal(totpCode(secret, totpStepAt(seconds * 1000)), code.slice(-6))
    }
  })

  it('is accepted one step early and one step late, and no further', () => {
    const secret = createTotpSecret()
    const now = Date.parse('2026-11-20T20:37:11Z')
    const step = totpStepAt(now)
    for (let distance = -4; distance <= 4; distance++) {
      const found = findTotpStep(secret, totpCode(secret, step + distance), now)
      assert.equal(found, Math.abs(distance) <= 1 ? step + distance : undefined, String(distance))
    }
    for (const wrong of ['', '1', '0000000', `${totpCode(secret, step)}0`, 'abcdef', '１２３４５６'])
      assert.equal(findTotpStep(secret, wrong, now), undefined)
  })

  it('comes from a secret of 160 bits', () => {
    assert.match(createTotpSecret(), /^[A-Z2-7]{32}$/)
    assert.notEqual(createTotpSecret(), createTotpSecret())
  })

  it('is made by apps from an address that names service and account', () => {
    const uri = new URL(totpUri('JBSWY3DPEHPK3PXP', { service: 'Café & Søn: 1', account: 'ann+1@example.com' }))
    assert.equal(uri.protocol, 'otpauth:')
    assert.equal(decodeURIComponent(uri.pathname.split('/').at(-1) as string), 'Café & Søn  1:ann+1@example.com')
    assert.deepEqual(Object.fromEntries(uri.searchParams), {
      secret: 'JBSWY3DPEHPK3PXP',
      issuer: 'Café & Søn  1',
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    })
  })
})
