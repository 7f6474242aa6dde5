import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createClient, Problem } from '@tenantry/client'
import { startTestApp, useTestApp } from '../../../test/support/app.ts'
import { registration } from '../../../test/support/people.ts'
import { age, answering, clientOf, isProblem, lost, refusing, signedUp, unreachable } from './support.ts'

const service = await useTestApp()
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' }
const FOUR = [0, 1, 2, 3]

const memberOf = () => ({ name: 'Yan', email: registration().email })

describe('a write', () => {
  it('is done once when its answer is lost', async () => {
    const { wire, company } = await signedUp(service)
    wire.fail(/^POST .*users/, lost, lost)
    const added = await company.members.add(memberOf())
    const { items, total } = await company.members.page({ search: added.email })
    assert.deepEqual([total, items[0]?.id], [1, added.id])
    const keys = wire.matching(/^POST .*users/).map(({ headers }) => headers.get('idempotency-key'))
    assert.equal(keys.length, 3)
    assert.equal(new Set(keys).size, 1)
  })

  it('is done once when its answer is cut off', async () => {
    const { wire, company } = await signedUp(service)
    wire.fail(/^POST .*users/, async (request, forward) => {
      const response = await forward(request)
      return new Response((await response.text()).slice(0, 40), response)
    })
    const added = await company.members.add(memberOf())
    assert.equal((await company.members.page({ search: added.email })).total, 1)
  })

  it('waits for its own earlier attempt that is still running', async () => {
    const { wire, company } = await signedUp(service)
    wire.fail(/^POST .*users/, unreachable, refusing(409, 'request_in_progress', { 'retry-after': '0' }))
    await company.members.add(memberOf())
    assert.equal(wire.matching(/^POST .*users/).length, 3)
  })

  it('has the key that it was given', async () => {
    const { wire, company } = await signedUp(service)
    const body = memberOf()
    const first = await company.members.add(body, { idempotencyKey: 'mine' })
    const second = await company.members.add(body, { idempotencyKey: 'mine' })
    assert.equal(first.id, second.id)
    assert.deepEqual(
      wire.sent.map(({ headers }) => headers.get('idempotency-key')),
      ['mine', 'mine'],
    )
    await assert.rejects(
      company.members.add(memberOf(), { idempotencyKey: 'mine' }),
      isProblem('idempotency_key_reused'),
    )
  })

  it('of a raw call has a key, a token and attempts as well', async () => {
    const { tenantry, wire, company } = await signedUp(service)
    wire.fail(/branches/, lost)
    const headers = { 'x-company-id': company.id }
    const { data, error } = await tenantry.http.POST('/api/companies/branches', { body: { name: 'Porto' }, headers })
    assert.deepEqual([data?.data.name, error], ['Porto', undefined])
    const again = await tenantry.http.POST('/api/companies/branches', { body: { name: 'Porto' }, headers })
    assert.equal(again.error?.code, 'branch_name_taken')
  })
})

it('a raw call fills its path and its query, and says what was refused', async () => {
  const { tenantry, wire, company } = await signedUp(service)
  const headers = { 'x-company-id': company.id }
  const query = { search: 'a&b=c ü', limit: 5 }
  await tenantry.http.GET('/api/companies/users', { params: { query }, headers })
  assert.equal(new URL(wire.sent[0]?.url ?? '').search, '?search=a%26b%3Dc+%C3%BC&limit=5')
  const one = await tenantry.http.GET('/api/companies/users/{userId}', { params: { path: { userId: 'a/b' } }, headers })
  assert.deepEqual([one.data, one.error?.code, one.response.status], [undefined, 'validation_failed', 400])
  assert.match(wire.sent[1]?.url ?? '', /users\/a%2Fb$/)
})

describe('a service that can’t answer', () => {
  it('is asked four times, and then the problem says why', async () => {
    const { tenantry, wire } = await signedUp(service)
    wire.fail(/companies/, ...FOUR.map(() => unreachable))
    await assert.rejects(tenantry.companies.page(), (error) => {
      assert.ok(error instanceof Problem && error.cause instanceof TypeError)
      assert.deepEqual([error.code, error.status], ['network_error', 0])
      return true
    })
    assert.equal(wire.matching(/companies/).length, 4)

    wire.fail(/companies/, ...FOUR.map(() => refusing(503, 'service_stopping', { 'retry-after': '0' })))
    await assert.rejects(tenantry.companies.page(), (error) => {
      assert.ok(error instanceof Problem)
      assert.deepEqual([error.code, error.status, error.retryAfter], ['service_stopping', 503, 0])
      return true
    })
    assert.equal(wire.matching(/companies/).length, 8)
  })

  it('is asked again after it said when, and after a proxy said that it is gone', async () => {
    const { tenantry, wire } = await signedUp(service)
    wire.fail(
      /companies/,
      refusing(503, 'overloaded', { 'retry-after': '0' }),
      answering(502, '<h1>Bad Gateway</h1>', { 'content-type': 'text/html' }),
      refusing(429, 'rate_limited', { 'retry-after': '0' }),
    )
    assert.equal((await tenantry.companies.page()).total, 1)
    assert.equal(wire.matching(/companies/).length, 4)
  })

  it('is not asked again before the time it says, when that is far away: the problem says when', async () => {
    const { tenantry, wire } = await signedUp(service)
    wire.fail(/companies/, refusing(503, 'overloaded', { 'retry-after': '11' }))
    await assert.rejects(
      tenantry.companies.page(),
      (error) => isProblem('overloaded')(error) && error instanceof Problem && error.retryAfter === 11,
    )
    wire.fail(/companies/, refusing(429, 'too_many_exports'))
    await assert.rejects(tenantry.companies.page(), isProblem('too_many_exports'))
    assert.equal(wire.matching(/companies/).length, 2)
  })

  it('that never answers counts as one that can’t be reached', async () => {
    const { store } = await signedUp(service)
    const { tenantry, wire } = clientOf(service, { session: store, retry: { delayMs: 0, timeoutMs: 1, attempts: 2 } })
    const silent = ({ signal }: Request) =>
      new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    wire.fail(/companies/, silent, silent)
    await assert.rejects(tenantry.companies.page(), isProblem('network_error'))
    assert.equal(wire.matching(/companies/).length, 2)
  })

  it('limits for a minute how often one address signs in, and that is told instead of waited for', async () => {
    const limited = await startTestApp({ RATE_LIMIT_ENABLED: 'true' }, service.db)
    const { tenantry, wire } = clientOf(limited)
    const wrong = { email: registration().email, password: 'Wrong-horse-7' }
    for (const _ of [1, 2, 3, 4, 5]) await assert.rejects(tenantry.signIn(wrong), isProblem('credentials_wrong'))
    await assert.rejects(tenantry.signIn(wrong), (error) => {
      assert.ok(error instanceof Problem && error.code === 'rate_limited')
      assert.ok((error.retryAfter ?? 0) > 10)
      return true
    })
    assert.equal(wire.sent.length, 6)
    await limited.close()
  })
})

describe('an answer that is none of the service', () => {
  const answers = {
    'a page of HTML': answering(200, '<!doctype html><p>Hello', { 'content-type': 'text/html' }),
    'a page that says it is missing': answering(404, '<h1>Not Found</h1>', { 'content-type': 'text/html' }),
    'an empty body': answering(200, '', {}),
    'an empty body that claims to be JSON': answering(200, '', { ...JSON_TYPE, 'content-length': '0' }),
    'another JSON': answering(200, '{"hello":"world"}', JSON_TYPE),
    'no object': answering(200, 'null', JSON_TYPE),
    'a refusal of another shape': answering(400, '{"error":"nope"}', JSON_TYPE),
    'no text at all': answering(200, '\u0000\ufffd', { 'content-type': 'application/octet-stream' }),
    'a sign-in page for everything': answering(401, 'Log in', { 'content-type': 'text/plain' }),
    'a file': answering(200, 'id,name\n1,Ann\n', { 'content-type': 'text/csv; charset=utf-8' }),
    'lines of JSON': answering(200, '{"data":[]}\n{"data":[]}\n', { 'content-type': 'application/x-ndjson' }),
    'a file that refuses the token': answering(401, 'id,name\n', { 'content-type': 'text/csv' }),
    'a file that refuses the call': answering(403, '{}\n{}\n', { 'content-type': 'application/x-ndjson' }),
    'a file about a fault': answering(500, 'id,name\n', { 'content-type': 'text/csv' }),
    'a list that is none': answering(200, '{"data":{"length":1},"total":1}', JSON_TYPE),
  }
  for (const [name, fault] of Object.entries(answers))
    it(`is unexpected, and the session goes on: ${name}`, async () => {
      const { tenantry, wire, store } = await signedUp(service)
      wire.fail(/companies/, ...FOUR.map(() => fault))
      await assert.rejects(tenantry.companies.page(), isProblem('unexpected_response'))
      wire.heal()
      await age(store)
      wire.fail(/refresh/, ...FOUR.map(() => fault))
      await assert.rejects(tenantry.companies.page(), isProblem('unexpected_response'))
      assert.equal(tenantry.session.get().status, 'signed_in')
      wire.heal()
      assert.equal((await tenantry.companies.page()).total, 1)
    })
})

it('tokens that are none are not kept, and what is kept and is none ends the session', async () => {
  const { tenantry, wire, store } = await signedUp(service)
  await age(store)
  const before = (await store.load()) ?? assert.fail()
  const none = `x.${btoa('null')}.x`
  const answers = [{ accessToken: 'x', refreshToken: 'y' }, { accessToken: 'a.b.c' }, { accessToken: 5 }]
  for (const data of [{}, ...answers, { accessToken: none }]) {
    wire.fail(/refresh/, answering(200, JSON.stringify({ success: true, data }), JSON_TYPE))
    await assert.rejects(tenantry.companies.page(), isProblem('unexpected_response'))
    assert.equal(await store.load(), before)
  }
  await tenantry.companies.page()
  await store.save({ ...before, accessToken: none, refreshToken: 'y' })
  await assert.rejects(tenantry.companies.page(), isProblem('signed_out'))
})

it('a sign-in that does not say whose it is gives no session', async () => {
  const { person, store: own } = await signedUp(service)
  const pair = (await own.load()) ?? assert.fail()
  const { tenantry, wire, store } = clientOf(service)
  const user = { id: 'me' }
  for (const data of [pair, { ...pair, user: null }, { ...pair, user }, { ...pair, user, tenants: [] }]) {
    wire.fail(/login/, answering(200, JSON.stringify({ data }), JSON_TYPE))
    await assert.rejects(tenantry.signIn(person), isProblem('unexpected_response'))
    assert.deepEqual([await store.load(), tenantry.session.get().status], [undefined, 'unknown'])
  }
  await tenantry.signIn(person)
  wire.fail(/me$/, answering(200, '{"data":{"tenants":[]}}', JSON_TYPE))
  await assert.rejects(tenantry.session.reload(), isProblem('unexpected_response'))
  assert.equal(tenantry.session.get().status, 'signed_in')
})

it('a service that says nothing of access to companies opens all of them', async () => {
  const { tenantry, wire } = await signedUp(service)
  wire.fail(/me$/, async (request, forward) => {
    const response = await forward(request)
    const { data } = (await response.json()) as { data: object }
    return Response.json({ data: { ...data, companyAccess: undefined, unopenedCompanies: undefined } }, response)
  })
  const state = await tenantry.session.reload()
  assert.deepEqual(state.status === 'signed_in' && [state.access, state.unopened], [{}, []])
})

it('a refusal can’t make its problem something else', async () => {
  const { tenantry, wire } = await signedUp(service)
  const odd = '"message":{"toString":1},"name":"x","stack":"x","toString":1,"__proto__":{"message":{}}'
  wire.fail(/companies/, answering(409, `{"code":"role_in_use","count":3,"status":1,${odd}}`, JSON_TYPE))
  await assert.rejects(tenantry.companies.page(), (error) => {
    assert.ok(error instanceof Problem && error.code === 'role_in_use')
    assert.equal(String(error), 'Problem: role in use')
    assert.deepEqual([error.status, 'count' in error && error.count], [409, 3])
    assert.match(error.stack ?? '', /problem\.ts/)
    return true
  })
})

it('a list ends where an answer does not say how it goes on', async () => {
  const { tenantry, wire, company } = await signedUp(service)
  const body = JSON.stringify({ data: [{ id: 'one' }] })
  wire.fail(/./, ...FOUR.map(() => answering(200, body, JSON_TYPE)))
  assert.deepEqual(await Array.fromAsync(company.audit.list()), [{ id: 'one' }])
  assert.deepEqual(await Array.fromAsync(tenantry.companies.list()), [{ id: 'one' }])
  assert.equal(wire.sent.length, 2)
})

describe('a signal', () => {
  const isAbort = (error: unknown) => error instanceof DOMException && error.name === 'AbortError'

  it('ends a call before it is sent, while it is sent, and while it waits for its next attempt', async () => {
    const { tenantry, wire } = await signedUp(service)
    await assert.rejects(tenantry.companies.page({}, { signal: AbortSignal.abort() }), isAbort)
    assert.deepEqual(wire.sent, [])

    const sent = new AbortController()
    wire.fail(/companies/, ({ signal }) => {
      queueMicrotask(() => sent.abort())
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    })
    await assert.rejects(tenantry.companies.page({}, { signal: sent.signal }), isAbort)

    const waiting = new AbortController()
    wire.fail(/companies/, async (request, forward) => {
      setImmediate(() => waiting.abort())
      return refusing(503, 'overloaded', { 'retry-after': '9' })(request, forward)
    })
    await assert.rejects(tenantry.companies.page({}, { signal: waiting.signal }), isAbort)
    assert.equal(wire.matching(/companies/).length, 2)
  })

  it('that ends one call does not end the refresh that others wait for', async () => {
    const { tenantry, wire, store } = await signedUp(service)
    await age(store)
    const controller = new AbortController()
    wire.fail(/refresh/, async (request, forward) => {
      controller.abort()
      return forward(request)
    })
    const calls = [tenantry.companies.page({}, { signal: controller.signal }), tenantry.companies.page()]
    const [first, second] = await Promise.allSettled(calls)
    assert.ok(first?.status === 'rejected' && isAbort(first.reason))
    assert.equal(second?.status, 'fulfilled')
    assert.equal(wire.matching(/refresh/).length, 1)
  })
})

it('an id that would lead to another path is refused before anything is sent', async () => {
  const { tenantry, wire, company } = await signedUp(service)
  for (const id of ['', '.', '..']) {
    await assert.rejects(tenantry.account.sessions.end(id), TypeError)
    await assert.rejects(company.members.remove({ id }), TypeError)
    await assert.rejects(tenantry.company(id).delete(), TypeError)
  }
  await assert.rejects(company.members.get('../roles'), isProblem('validation_failed'))
  assert.equal(wire.sent.length, 1)
})

it('outside of a browser a client needs the address of the service', () => {
  assert.throws(() => createClient({ session: 'cookie' }), /baseUrl/)
})
