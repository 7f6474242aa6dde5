import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import { useTestApp } from '../../test/support/app.ts'
import { Client } from '../../test/support/client.ts'
import { checkAnswersFrom } from '../../test/support/contract.ts'
import { confirmFactor } from '../../test/support/factors.ts'
import { join } from '../../test/support/members.ts'
import { assertProblem, type Person, signUp } from '../../test/support/people.ts'
import { readConfig } from '../config/config.ts'
import { createLog } from '../process/log.ts'
import { createAccessChecks } from './check-access.ts'
import { NoData } from './envelope.ts'
import { createIdempotencyStore } from './idempotency/store.ts'
import { unlimited } from './limits/limits.ts'
import { OpenApiDocument } from './openapi/document.ts'
import { createApi } from './routes.ts'
import { createServer } from './server.ts'
import { SessionCookie } from './session-cookie.ts'
import { createTokenVerifier } from './token-verifier.ts'

// What a route may ask besides a permission, on routes of this test's own.

const service = await useTestApp()
const config = readConfig({ NODE_ENV: 'test', APP_SECRET: 'a-secret-of-more-than-32-characters' })
const app = await createServer({ config, log: createLog('silent'), limits: unlimited, onRefused: async () => {} })
const { database, keys } = service
const document = new OpenApiDocument()
const api = createApi(app, {
  database,
  access: createAccessChecks(database, createTokenVerifier(keys)),
  idempotency: createIdempotencyStore(database, keys),
  sessionCookie: new SessionCookie(config, keys),
  document,
  validateResponses: true,
})
const done = async () => ({})
const docs = (operationId: string) => ({ operationId, summary: operationId })
const response = { data: NoData }
const member = { company: 'membership' } as const
const fresh = { minutes: 10 }
api.get('/owners', { access: member, ownerOnly: true, action: 'companies.get', docs: docs('a'), response }, done)
api.post('/owners', { access: member, ownerOnly: true, action: 'companies.update', docs: docs('b'), response }, done)
api.get('/fresh', { access: member, fresh, action: 'companies.get', docs: docs('c'), response }, done)
api.post('/fresh', { access: member, fresh, action: 'companies.update', docs: docs('d'), response }, done)
api.post('/own', { access: 'account', fresh, action: 'accounts.update', docs: docs('e'), response }, done)
await app.listen({ host: '127.0.0.1', port: 0 })
after(() => app.close())
const address = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
const built = await document.build()
checkAnswersFrom(built, address)

const as = ({ accessToken, company }: Person) =>
  new Client(`${address}/api`, { token: accessToken, company: company.id })
const setAge = ({ sessionId }: Person, column: 'authenticated_at' | 'second_factor_at', minutes: number) =>
  service.db.query(`update sessions set ${column} = now() - make_interval(mins => $1) where id = $2`, [
    minutes,
    sessionId,
  ])

describe('a route for owners', () => {
  it('refuses every other member, and says so in the document', async () => {
    const ann = await signUp(service.client)
    const bob = await join(ann, await signUp(service.client), ['Admin'])
    for (const method of ['GET', 'POST']) {
      assert.equal((await as(ann).send(method, '/owners')).status, 200)
      assertProblem(await as({ ...bob, company: ann.company }).send(method, '/owners'), 403, 'owner_only')
    }
    const text = JSON.stringify((built.paths as Record<string, object>)['/api/owners'])
    assert.match(text, /owner_only/)
    assert.match(text, /Only for owners\./)
  })
})

describe('a route for a fresh session', () => {
  const sendAll = (person: Person) =>
    Promise.all([as(person).get('/fresh'), as(person).post('/fresh'), as(person).post('/own')])

  it('asks for the password of the last minutes', async () => {
    const ann = await signUp(service.client)
    for (const { status } of await sendAll(ann)) assert.equal(status, 200)
    await setAge(ann, 'authenticated_at', 10)
    for (const refused of await sendAll(ann)) {
      assertProblem(refused, 403, 'reauthentication_required')
      assert.deepEqual(refused.body.methods, ['password'])
    }
  })

  it('asks an account with a second factor for that, and the password does not count', async () => {
    const ann = await signUp(service.client)
    await confirmFactor(service.db, ann.id)
    for (const refused of await sendAll(ann)) {
      assertProblem(refused, 403, 'reauthentication_required')
      assert.deepEqual(refused.body.methods, ['totp'])
    }
    await setAge(ann, 'second_factor_at', 9)
    await setAge(ann, 'authenticated_at', 1000)
    for (const { status } of await sendAll(ann)) assert.equal(status, 200)
  })

  it('says in the document what it asks for', () => {
    const text = JSON.stringify((built.paths as Record<string, object>)['/api/own'])
    assert.match(text, /reauthentication_required/)
    assert.match(text, /in the last 10 minutes/)
  })
})
