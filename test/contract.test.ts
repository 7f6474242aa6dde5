import assert from 'node:assert/strict'
import { after, afterEach, describe, it } from 'node:test'
import type { FastifyReply } from 'fastify'
import { z } from 'zod'
import { problem } from '../src/problems.ts'
import { useTestApp } from './support/app.ts'
import { ask, startSmallApp } from './support/http.ts'

const service = await useTestApp()
const small = await startSmallApp(service, (api, app) => {
  const Thing = z.object({ name: z.string(), count: z.int().optional() }).meta({ id: 'Thing' })
  const declaration = { access: 'anyone', action: 'branches.list', response: { data: Thing } } as const
  const docs = (operationId: string) => ({ operationId, summary: 'A thing' })
  const refusing = { ...declaration, problems: ['email_taken'] } as const
  api.get('/things/one', { ...declaration, docs: docs('readThing') }, async () => ({ name: 'one' }))
  api.get('/things/taken', { ...refusing, docs: docs('readTaken') }, async () => {
    throw problem('email_taken')
  })
  api.get('/things/unlisted', { ...declaration, docs: docs('readUnlisted') }, async () => {
    throw problem('last_owner')
  })
  api.get('/things/miscoded', { ...refusing, docs: docs('readMiscoded') }, async () => {
    throw problem('slug_taken')
  })
  app.addHook('onSend', async (_request, reply, payload) => alter(reply, payload))
})
after(() => small.close())

/** Changes an answer before it is sent. */
type Alteration = (reply: FastifyReply, payload: unknown) => unknown
let alter: Alteration
const unaltered: Alteration = (_reply, payload) => payload
alter = unaltered
afterEach(() => {
  alter = unaltered
})

const body =
  (change: (body: Record<string, unknown>) => unknown): Alteration =>
  (_reply, payload) =>
    JSON.stringify(change(JSON.parse(String(payload))))

describe('an answer that a test receives', () => {
  it('passes when it conforms to the document', async () => {
    assert.equal((await small.client.get('/things/one')).status, 200)
    assert.equal((await small.client.get('/things/taken')).status, 409)
    assert.equal((await small.client.get('/nowhere')).status, 404)
    assert.equal((await small.client.post('/things/one', {})).status, 404)
    assert.equal((await small.client.send('HEAD', '/things/one')).status, 200)
  })

  it('fails the test with a status that is not listed', async () => {
    await assert.rejects(small.client.get('/things/unlisted'), /GET .*\/unlisted → 422: this status is not listed/)
  })

  it('fails the test with a code that is not listed for the status', async () => {
    await assert.rejects(small.client.get('/things/miscoded'), /409: not as documented: \/code .*"email_taken"/)
  })

  const wrong: Record<string, [Alteration, RegExp]> = {
    'an unknown key': [body((all) => ({ ...all, extra: 1 })), /additional properties.*"extra"/],
    'an unknown key further down': [body((all) => ({ ...all, data: { name: 'x', extra: 1 } })), /\/data must NOT/],
    'a missing key': [body((all) => ({ ...all, data: {} })), /required property 'name'/],
    'a value of another type': [body((all) => ({ ...all, data: { name: 1 } })), /\/data\/name must be string/],
    'a body that is no JSON': [() => 'thing', /not JSON/],
    'another content type': [(reply, payload) => typed(reply, 'text/plain', payload), /content-type/],
    'a missing header': [without('x-request-id'), /header x-request-id is missing/],
    'a header of another form': [withHeader('cache-control', 'public'), /header Cache-Control: not as documented/],
    'a header that is for other answers': [
      withHeader('retry-after', '5'),
      /headers that are not listed for this status/,
    ],
    'another status': [withStatus(201), /201: this status is not listed/],
  }
  for (const [what, [alteration, expected]] of Object.entries(wrong)) {
    it(`fails the test with ${what}`, async () => {
      alter = alteration
      await assert.rejects(small.client.get('/things/one'), expected)
    })
  }

  it('fails the test at an unknown path, unless it is a documented error', async () => {
    alter = body((all) => ({ ...all, hint: 'try another address' }))
    await assert.rejects(small.client.get('/nowhere'), /"hint"/)
    alter = withStatus(200)
    await assert.rejects(small.client.get('/nowhere'), /a success at an address that the document does not list/)
  })

  it('is also checked when the request was sent as bytes', async () => {
    alter = body((all) => ({ ...all, extra: 1 }))
    await assert.rejects(ask(small.address, 'GET /api/things/one'), /"extra"/)
    await assert.rejects(ask(small.address, 'GET /api/%74hings/one?x=1'), /"extra"/)
  })
})

function typed(reply: FastifyReply, type: string, payload: unknown): unknown {
  reply.header('content-type', type)
  return payload
}

function withStatus(status: number): Alteration {
  return (reply, payload) => {
    reply.code(status)
    return payload
  }
}

function withHeader(name: string, value: string): Alteration {
  return (reply, payload) => {
    reply.header(name, value)
    return payload
  }
}

function without(name: string): Alteration {
  return (reply, payload) => {
    reply.removeHeader(name)
    return payload
  }
}
