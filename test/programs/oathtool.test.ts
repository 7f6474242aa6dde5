import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { totpCode, totpStepAt } from '../../src/lib/totp.ts'
import { useTestApp } from '../support/app.ts'
import { addApp, challengeFor, signUpVerified } from '../support/factors.ts'
import { assertProblem, signUp } from '../support/people.ts'

// Debian's oathtool in place of an authenticator app.

const service = await useTestApp()

/** The code that an app shows at a time, some steps of half a minute away. */
function codeBy(secret: string, distance = 0): string {
  const at = new Date(Date.now() + distance * 30_000).toISOString().replace('T', ' ').slice(0, 19)
  return execFileSync('oathtool', ['--totp', '--base32', '--now', `${at} UTC`, secret], { encoding: 'utf8' }).trim()
}

describe('the codes of oathtool', () => {
  it('confirm a factor and sign in, each once', async () => {
    const ann = await signUpVerified(service)
    const { id, secret } = (await ann.api.post('/auth/factors/totp', {})).body.data
    const confirmed = await ann.api.post(`/auth/factors/totp/${id}/confirm`, { code: codeBy(secret, -1) })
    assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body))
    const code = codeBy(secret)
    const signIn = async () =>
      service.client.post('/auth/login/second-factor', { challenge: await challengeFor(service.client, ann), code })
    assert.equal((await signIn()).status, 200)
    assertProblem(await signIn(), 401, 'second_factor_wrong')
    assert.equal((await ann.api.post('/auth/step-up', { code: codeBy(secret, 1) })).status, 200)
  })

  it('are those of this service for every secret and time', async () => {
    const ann = await signUp(service.client)
    const { secret } = await addApp(service, ann)
    for (const distance of [-100_000, -1, 0, 1, 1_000_000]) {
      const now = Date.now()
      const expected = codeBy(secret, distance)
      const steps = [totpStepAt(now), totpStepAt(Date.now())].map((step) => totpCode(secret, step + distance))
      assert.ok(steps.includes(expected), String(distance))
    }
  })
})
