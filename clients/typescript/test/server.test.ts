import assert from 'node:assert/strict'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import { createVerifier, Problem } from '@tenantry/client/server'
import { type TestApp, useTestApp } from '../../../test/support/app.ts'
import { addMember, emailedPassword } from '../../../test/support/members.ts'
import { PASSWORD, signIn, signUp } from '../../../test/support/people.ts'
import { createApp as createExpress } from '../examples/express.ts'
import { createApp as createFastify } from '../examples/fastify.ts'
import { isProblem } from './support.ts'

// The front end at APP_URL, which forwards the keys to the service.
const frontEnd = http.createServer(async ({ url }, response) => {
  const answer = await fetch(`${service.address}${url}`)
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
})
await new Promise<void>((resolve) => frontEnd.listen(0, '127.0.0.1', resolve))
const APP_URL = `http://127.0.0.1:${(frontEnd.address() as AddressInfo).port}`
process.env.TENANTRY_URL = APP_URL
after(() => frontEnd.close())

const service: TestApp = await useTestApp({ APP_URL })
const ann = await signUp(service.client)
const bearer = `Bearer ${ann.accessToken}`

describe('a verifier', () => {
  const verify = createVerifier({ issuer: APP_URL })

  it('says whose token it is, from a header or a request', async () => {
    const expected = { accountId: ann.id, sessionId: ann.sessionId }
    const { expiresAt, ...verified } = await verify(bearer)
    assert.deepEqual(verified, expected)
    assert.ok(expiresAt instanceof Date && Number(expiresAt) > Date.now())
    const request = new Request('http://x.invalid', { headers: { authorization: bearer } })
    assert.equal((await verify(request)).accountId, ann.id)
  })

  it('refuses what is no access token of the service', async () => {
    const [head, body, signature] = ann.accessToken.split('.') as [string, string, string]
    const changed = Buffer.from(JSON.stringify({ ...JSON.parse(atob(body)), sub: 'eve' })).toString('base64url')
    const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'at+jwt' })).toString('base64url')
    const tokens = [
      'x',
      'a.b.c',
      ann.refreshToken,
      `${head}.${changed}.${signature}`,
      `${none}.${body}.`,
      `${head}.${body}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
    ]
    for (const token of tokens) await assert.rejects(verify(`Bearer ${token}`), isProblem('token_invalid'), token)
    for (const header of [undefined, null, '', 'Bearer', 'Bearer ', `Basic ${ann.accessToken}`, ann.accessToken])
      await assert.rejects(verify(header), isProblem('token_missing'), String(header))
  })

  it('refuses the token of a temporary password, which may only choose another one, until that is chosen', async () => {
    const { email } = await addMember(ann)
    const temporary = await emailedPassword(service, email)
    const bob = await signIn(service.client, email, temporary)
    await assert.rejects(verify(`Bearer ${bob.accessToken}`), isProblem('token_invalid'))
    const change = { currentPassword: temporary, newPassword: PASSWORD }
    assert.equal((await bob.api.post('/auth/change-temporary-password', change)).status, 200)
    const { body } = await service.client.post('/auth/refresh', { refreshToken: bob.refreshToken })
    assert.equal((await verify(`Bearer ${body.data.accessToken}`)).accountId, bob.id)
  })

  it('refuses tokens of another issuer or for another audience', async () => {
    const others = [
      createVerifier({ issuer: 'https://other.example.com', keysUrl: `${service.address}/.well-known/jwks.json` }),
      createVerifier({ issuer: APP_URL, audience: 'other' }),
    ]
    for (const other of others) await assert.rejects(other(bearer), isProblem('token_invalid'))
  })

  it('says that keys can’t be read, which is no fault of the caller', async () => {
    for (const url of ['http://127.0.0.1:1/keys', `${service.address}/nothing`]) {
      const stray = createVerifier({ issuer: APP_URL, keysUrl: url })
      await assert.rejects(stray(bearer), (error) => {
        assert.ok(error instanceof Problem && error.code === 'network_error' && error.status === 503)
        return true
      })
    }
  })
})

describe('the example', () => {
  /** Whose notes an app shows to this caller. */
  async function ask(address: string, authorization?: string): Promise<[status: number, body: unknown]> {
    const response = await fetch(`${address}/notes`, { headers: { ...(authorization && { authorization }) } })
    return [response.status, await response.json()]
  }
  const notes = [`The first note of ${ann.id}`]

  it('for Express lets in who is signed in', async () => {
    const server = createExpress(APP_URL).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    await assertGuarded((authorization) => ask(`http://127.0.0.1:${port}`, authorization))
    server.close()
  })

  it('for Fastify lets in who is signed in', async () => {
    const app = createFastify(APP_URL)
    await assertGuarded(async (authorization) => {
      const { statusCode, body } = await app.inject({
        url: '/notes',
        headers: { ...(authorization && { authorization }) },
      })
      return [statusCode, JSON.parse(body)]
    })
    await app.close()
  })

  it('for Next lets in who is signed in', async () => {
    const { GET } = await import('../examples/next-route.ts')
    await assertGuarded(async (authorization) => {
      const request = new Request('http://x.invalid/notes', { headers: { ...(authorization && { authorization }) } })
      const response = await GET(request)
      return [response.status, await response.json()]
    })
  })

  async function assertGuarded(ask: (authorization?: string) => Promise<[status: number, body: unknown]>) {
    assert.deepEqual(await ask(bearer), [200, { notes }])
    const [status, body] = await ask()
    assert.deepEqual([status, (body as { code: string }).code], [401, 'token_missing'])
    assert.equal((await ask('Bearer x'))[0], 401)
  }
})
