import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { freshAddress, from, limitsIn, nothing, repeat, servedOf } from '../../../test/support/http.ts'
import { assertProblem, signUp } from '../../../test/support/people.ts'
import { newId } from '../../lib/ids.ts'
import { keysFrom } from '../../lib/keys.ts'
import { signToken } from '../../lib/tokens.ts'

const PER_ACCOUNT = 4
const PER_ADDRESS = 20 * PER_ACCOUNT
const PER_NETWORK = 6

const service = await useTestApp({
  RATE_LIMIT_ENABLED: 'true',
  RATE_LIMIT_PER_MINUTE: String(PER_NETWORK),
  RATE_LIMIT_SIGNED_IN_PER_MINUTE: String(PER_ACCOUNT),
  TRUST_PROXY: 'loopback',
})

/** A token with a good signature; limits do not ask whether its account exists. */
function anyToken({ accountId = newId(), secondsLeft = 900, keys = service.keys } = {}): string {
  const exp = Math.floor(Date.now() / 1000) + secondsLeft
  return signToken(keys, 'at+jwt', { sub: accountId, sid: newId(), jti: newId(), iat: exp - 900, exp })
}

const send = (address: string, token?: string) =>
  nothing(service, { ...from(address), ...(token !== undefined && { token }) })

describe('a request with a good access token', () => {
  it('counts for its account, whatever its addresses and sessions, and says so', async () => {
    const accountId = newId()
    for (let left = PER_ACCOUNT - 1; left >= -1; left--) {
      const { status, headers } = await send(freshAddress(), anyToken({ accountId }))
      assert.equal(status, left >= 0 ? 404 : 429)
      assert.equal(headers.get('ratelimit-policy'), `"account";q=${PER_ACCOUNT};w=60, "address";q=${PER_ADDRESS};w=60`)
      const { account, address } = limitsIn(headers.get('ratelimit'))
      assert.equal(account?.r, Math.max(0, left))
      assert.equal(address?.r, left >= 0 ? PER_ADDRESS - 1 : PER_ADDRESS)
      assert.equal(headers.get('retry-after'), left >= 0 ? null : String(account?.t))
    }
  })

  it('counts for its address, too: many accounts there are twenty at most', async () => {
    const address = freshAddress()
    assert.equal(servedOf(await repeat(PER_ADDRESS + 5, () => send(address, anyToken()))), PER_ADDRESS)
    const refused = await send(address, anyToken())
    assertProblem(refused, 429, 'rate_limited')
    assert.deepEqual(limitsIn(refused.headers.get('ratelimit')).address?.r, 0)
    assert.equal((await send(freshAddress(), anyToken())).status, 404)
  })

  it('uses up nothing of its address once its account is at its limit', async () => {
    const address = freshAddress()
    const token = anyToken()
    assert.equal(servedOf(await repeat(PER_ADDRESS + 5, () => send(address, token))), PER_ACCOUNT)
    const { headers } = await send(address, anyToken())
    assert.equal(limitsIn(headers.get('ratelimit')).address?.r, PER_ADDRESS - PER_ACCOUNT - 1)
  })

  it('leaves what requests without one have at that address, and they leave what it has', async () => {
    const address = freshAddress()
    assert.equal(servedOf(await repeat(PER_ACCOUNT, () => send(address, anyToken()))), PER_ACCOUNT)
    assert.deepEqual(await repeat(PER_NETWORK + 1, () => send(address)), [...Array(PER_NETWORK).fill(404), 429])
    assert.equal((await send(address, anyToken())).status, 404)
    const { headers } = await send(address)
    assert.equal(headers.get('ratelimit-policy'), `"general";q=${PER_NETWORK};w=60`)
  })

  it('counts by address against the limit of a route, whatever its account', async () => {
    const address = freshAddress()
    const logIn = () => service.client.post('/auth/login', {}, { ...from(address), token: anyToken() })
    assert.deepEqual(await repeat(6, logIn), [400, 400, 400, 400, 400, 429])
    const { headers } = await logIn()
    assert.deepEqual(Object.keys(limitsIn(headers.get('ratelimit'))), ['account', 'address', 'login'])
  })
})

describe('a token counts as none', () => {
  const bad: [string, () => string][] = [
    ['when it is forged', () => anyToken({ keys: keysFrom('a-secret-of-another-service-0123456') })],
    [
      'when its signature is of another token',
      () => [...anyToken().split('.').slice(0, 2), anyToken().split('.')[2]].join('.'),
    ],
    ['when it has expired', () => anyToken({ secondsLeft: 0 })],
    ['when it is no token', () => 'x'],
  ]
  for (const [when, make] of bad) {
    it(when, async () => {
      const address = freshAddress()
      const statuses = await repeat(PER_NETWORK + 2, () => send(address, make()))
      assert.deepEqual(statuses, [...Array(PER_NETWORK).fill(404), 429, 429])
    })
  }

  it('when its session has ended, from its first refusal on', async () => {
    const ann = await signUp(service.client.with(from(freshAddress())))
    const address = from(freshAddress())
    await ann.api.post('/auth/logout', { refreshToken: ann.refreshToken }, address)
    const policies = []
    for (let i = 0; i < 3; i++) {
      const answer = await ann.api.get('/auth/me', address)
      assertProblem(answer, 401, 'token_invalid')
      policies.push(Object.keys(limitsIn(answer.headers.get('ratelimit'))))
    }
    assert.deepEqual(policies, [['account', 'address'], ['general'], ['general']])
  })
})

it('verifies no more signatures for an address that sends many forged tokens, and keeps serving known tokens', async () => {
  const address = freshAddress()
  const known = anyToken()
  assert.equal((await send(address, known)).status, 404)
  const forge = () => anyToken({ keys: keysFrom('a-secret-of-another-service-0123456') })
  assert.equal(servedOf(await repeat(PER_NETWORK + 5, () => send(address, forge()))), PER_NETWORK)
  assertProblem(await send(address, anyToken()), 429, 'rate_limited')
  assert.equal((await send(address, known)).status, 404)
  assert.equal((await send(freshAddress(), anyToken())).status, 404)
})
