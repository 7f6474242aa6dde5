import assert from 'node:assert/strict'
import { sign } from 'node:crypto'
import { it } from 'node:test'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { useTestApp } from '../../test/support/app.ts'
import { signUp } from '../../test/support/people.ts'

const ISSUER = 'https://app.example.com/portal'
const AUDIENCE = 'https://api.example.com'
const service = await useTestApp({ APP_URL: `${ISSUER}/`, ACCESS_TOKEN_AUDIENCE: AUDIENCE })

const at = (path: string) => new URL(path, service.address)

it('lets a library verify access tokens by what is published', async () => {
  const ann = await signUp(service.client)
  const response = await fetch(at('/.well-known/oauth-authorization-server/portal'))
  assert.equal(response.headers.get('cache-control'), 'public, max-age=300')
  const metadata = await response.json()
  assert.deepEqual(metadata, {
    issuer: ISSUER,
    jwks_uri: `${ISSUER}/.well-known/jwks.json`,
    response_types_supported: [],
    grant_types_supported: [],
  })
  const keys = createRemoteJWKSet(at('/.well-known/jwks.json'))
  const expected = { issuer: metadata.issuer, audience: AUDIENCE, typ: 'at+jwt', algorithms: ['EdDSA'] }
  const { payload } = await jwtVerify(ann.accessToken, keys, expected)
  assert.deepEqual([payload.sub, payload.iss, payload.aud], [ann.id, ISSUER, AUDIENCE])
  await assert.rejects(jwtVerify(ann.accessToken, keys, { ...expected, audience: 'tenantry' }), /"aud"/)
  await assert.rejects(jwtVerify(ann.refreshToken, keys, expected))
})

it('accepts issuer and audience of now and of before, and no mixture', async () => {
  const ann = await signUp(service.client)
  const [header = '', payload = ''] = ann.accessToken.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const statusFor = async (names: object) => {
    const text = `${header}.${Buffer.from(JSON.stringify({ ...claims, ...names })).toString('base64url')}`
    const token = `${text}.${sign(null, Buffer.from(text), service.keys.current.signing).toString('base64url')}`
    return (await service.client.get('/auth/me', { token })).status
  }
  assert.equal(await statusFor({}), 200)
  assert.equal(await statusFor({ iss: 'tenantry', aud: 'tenantry' }), 200)
  assert.equal(await statusFor({ iss: 'tenantry' }), 401)
  assert.equal(await statusFor({ aud: 'tenantry' }), 401)
  assert.equal(await statusFor({ iss: `${ISSUER}/` }), 401)
})
