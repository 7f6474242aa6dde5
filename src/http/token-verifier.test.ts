import assert from 'node:assert/strict'
import { afterEach, it, mock } from 'node:test'
import { newId } from '../lib/ids.ts'
import { type Keys, keysFrom } from '../lib/keys.ts'
import { signToken } from '../lib/tokens.ts'
import { Problem } from '../problems.ts'
import { createTokenVerifier } from './token-verifier.ts'

const [older, newer] = ['the-older-secret-of-36-characters-xx', 'the-newer-secret-of-36-characters-xx']
const NOW = 1_800_000_000

afterEach(() => mock.timers.reset())

function tokenOf(keys: Keys, { secondsLeft = 900 } = {}) {
  const claims = { sub: newId(), sid: newId(), jti: newId(), iat: NOW, exp: NOW + secondsLeft }
  return { claims, header: `Bearer ${signToken(keys, 'at+jwt', claims)}` }
}

function codeOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    assert.ok(error instanceof Problem)
    return error.code
  }
  return 'none'
}

it('refuses a token from the second in which it expires, although it was valid before', () => {
  mock.timers.enable({ apis: ['Date'], now: NOW * 1000 })
  const keys = keysFrom(newer)
  const { verify } = createTokenVerifier(keys)
  const { claims, header } = tokenOf(keys, { secondsLeft: 2 })
  const expected = { accountId: claims.sub, sessionId: claims.sid }
  for (let i = 0; i < 3; i++) assert.deepEqual(verify(header), expected)
  mock.timers.tick(1999)
  assert.deepEqual(verify(header), expected)
  mock.timers.tick(1)
  for (let i = 0; i < 3; i++)
    assert.equal(
      codeOf(() => verify(header)),
      'token_invalid',
    )
})

it('refuses tokens of a removed secret, although they were accepted before', () => {
  mock.timers.enable({ apis: ['Date'], now: NOW * 1000 })
  const { header } = tokenOf(keysFrom(older))
  assert.equal(
    codeOf(() => createTokenVerifier(keysFrom(older)).verify(header)),
    'none',
  )
  assert.equal(
    codeOf(() => createTokenVerifier(keysFrom(newer, older)).verify(header)),
    'none',
  )
  assert.equal(
    codeOf(() => createTokenVerifier(keysFrom(newer)).verify(header)),
    'token_invalid',
  )
})

it('remembers each token separately', () => {
  mock.timers.enable({ apis: ['Date'], now: NOW * 1000 })
  const keys = keysFrom(newer)
  const { verify } = createTokenVerifier(keys)
  const [ann, bob] = [tokenOf(keys), tokenOf(keys)]
  const forged = `${bob.header.split('.').slice(0, 2).join('.')}.${ann.header.split('.')[2]}`
  for (let i = 0; i < 3; i++) {
    assert.equal(verify(ann.header).accountId, ann.claims.sub)
    assert.equal(verify(bob.header.replace('Bearer', 'bEARER ')).accountId, bob.claims.sub)
    for (const bad of [forged, `${ann.header}x`, `${ann.header}.`, ann.header.slice(0, -1)]) {
      assert.equal(
        codeOf(() => verify(bad)),
        'token_invalid',
      )
    }
    for (const none of [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      `${ann.header} ${bob.header}`,
      `${ann.header},${bob.header}`,
      ann.header.replace(' ', '\t'),
    ]) {
      assert.equal(
        codeOf(() => verify(none)),
        'token_missing',
      )
    }
  }
})

it('verifies tokens beyond the number that it remembers', { timeout: 60_000 }, () => {
  mock.timers.enable({ apis: ['Date'], now: NOW * 1000 })
  const keys = keysFrom(newer)
  const { verify } = createTokenVerifier(keys)
  const first = tokenOf(keys)
  verify(first.header)
  for (let i = 0; i < 10_050; i++) verify(tokenOf(keys).header)
  assert.equal(verify(first.header).accountId, first.claims.sub)
})
