import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { startTestApp, type TestApp } from '../../../test/support/app.ts'
import { assertProblem, signUp } from '../../../test/support/people.ts'
import { createExchange } from './refresh.ts'

let service: TestApp
before(async () => {
  service = await startTestApp()
})
after(() => service.close())

const refresh = (refreshToken: unknown, key?: string) =>
  service.client.post('/auth/refresh', { refreshToken }, key ? { headers: { 'idempotency-key': key } } : {})
const me = (token: string) => service.client.get('/auth/me', { token })

/** Lets a session's last exchanges lie that much further back. */
const letPass = (sessionId: string, seconds: number) =>
  service.db.query(
    `update sessions set recently_spent = coalesce(
      (select jsonb_object_agg(key, (value #>> '{}')::timestamptz - make_interval(secs => $2)) from jsonb_each(recently_spent)), '{}')
     where id = $1`,
    [sessionId, seconds],
  )

it('exchanges a refresh token for a new pair of the same session', async () => {
  const ann = await signUp(service.client)
  const { status, body } = await refresh(ann.refreshToken)
  assert.equal(status, 200)
  assert.deepEqual(Object.keys(body.data).sort(), ['accessToken', 'refreshToken'])
  assert.notEqual(body.data.refreshToken, ann.refreshToken)
  assert.equal((await me(body.data.accessToken)).status, 200)
  assert.equal((await refresh(body.data.refreshToken)).status, 200)
})

it('refuses what is no refresh token of ours', async () => {
  const ann = await signUp(service.client)
  for (const token of [ann.accessToken, 'x', `${ann.refreshToken}x`, 'x'.repeat(5000), '\0']) {
    assertProblem(await refresh(token), 401, 'refresh_token_invalid')
  }
  for (const token of [undefined, null, 5, '', {}]) assertProblem(await refresh(token), 400, 'validation_failed')
})

it('gives fifty requests at once with one token the very same pair, which works', async () => {
  const ann = await signUp(service.client)
  const answers = await Promise.all(Array.from({ length: 50 }, () => refresh(ann.refreshToken)))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  const pairs = new Set(answers.map(({ body }) => JSON.stringify(body.data)))
  assert.equal(pairs.size, 1)
  const [pair] = [...pairs].map((text) => JSON.parse(text))
  assert.equal((await me(pair.accessToken)).status, 200)
  assert.equal((await refresh(pair.refreshToken)).status, 200)
})

it('gives requests that overlap on two nodes the same pair', async () => {
  const ann = await signUp(service.client)
  // Two nodes share nothing but the database. Both requests are there before either is answered.
  const arrivedAt = performance.now()
  const caller = { ip: '127.0.0.1', network: '127.0.0.1/32', userAgent: '', requestId: '', idempotencyKey: undefined }
  const elapsedMs = () => performance.now() - arrivedAt
  const isGone = () => false
  const nodes = [createExchange(service.parts), createExchange(service.parts)]
  const pairs = await Promise.all(nodes.map((exchange) => exchange(ann.refreshToken, { ...caller, elapsedMs, isGone })))
  assert.deepEqual(pairs[0], pairs[1])
})

it('takes a spent token for an accident within 10 seconds: 401, and the session lives on', async () => {
  const ann = await signUp(service.client)
  const second = (await refresh(ann.refreshToken)).body.data
  assertProblem(await refresh(ann.refreshToken), 401, 'refresh_token_invalid')
  const third = (await refresh(second.refreshToken)).body.data
  assertProblem(await refresh(ann.refreshToken), 401, 'refresh_token_invalid')
  await letPass(ann.sessionId, 9)
  assertProblem(await refresh(second.refreshToken), 401, 'refresh_token_invalid')
  assert.equal((await me(third.accessToken)).status, 200)
  assert.equal((await refresh(third.refreshToken)).status, 200)
})

it('takes a spent token for theft after 10 seconds: the session ends, committed and recorded', async () => {
  const ann = await signUp(service.client)
  const pair = (await refresh(ann.refreshToken)).body.data
  await letPass(ann.sessionId, 11)
  assertProblem(await refresh(ann.refreshToken), 401, 'refresh_token_invalid')
  assertProblem(await me(pair.accessToken), 401, 'token_invalid')
  assertProblem(await refresh(pair.refreshToken), 401, 'refresh_token_invalid')
  const [session] = await service.db.query('select revoked_because from sessions where id = $1', [ann.sessionId])
  assert.equal(session?.revoked_because, 'refresh_token_reused')
  const records = await service.db.query(
    `select action from audit_records where target_id = $1 and action = 'sessions.end_stolen'`,
    [ann.sessionId],
  )
  assert.equal(records.length, 1)
})

it('recognises an old token although many exchanges lie between', async () => {
  const ann = await signUp(service.client)
  let pair = (await refresh(ann.refreshToken)).body.data
  await letPass(ann.sessionId, 60)
  for (let i = 0; i < 3; i++) pair = (await refresh(pair.refreshToken)).body.data
  assertProblem(await refresh(ann.refreshToken), 401, 'refresh_token_invalid')
  assertProblem(await me(pair.accessToken), 401, 'token_invalid')
})

it('repeats its answer to the same Idempotency-Key, so that a lost answer logs nobody out', async () => {
  const ann = await signUp(service.client)
  const first = await refresh(ann.refreshToken, 'key-1')
  await letPass(ann.sessionId, 3600)
  const repeated = await refresh(ann.refreshToken, 'key-1')
  assert.equal(repeated.status, 200)
  assert.deepEqual(repeated.body.data, first.body.data)

  const next = await refresh(first.body.data.refreshToken, 'key-2')
  assert.equal(next.status, 200)
  // Its successor is spent: a repetition would bring a second live pair.
  assertProblem(await refresh(ann.refreshToken, 'key-1'), 401, 'refresh_token_invalid')
})

it('remembers the key of whoever lost the race, too', async () => {
  const ann = await signUp(service.client)
  const [unkeyed, keyed] = await Promise.all([refresh(ann.refreshToken), refresh(ann.refreshToken, 'key-9')])
  assert.deepEqual(unkeyed.body.data, keyed.body.data)
  assert.deepEqual((await refresh(ann.refreshToken, 'key-9')).body.data, keyed.body.data)
})

it('does not take another key for a repetition', async () => {
  const ann = await signUp(service.client)
  await refresh(ann.refreshToken, 'key-1')
  assertProblem(await refresh(ann.refreshToken, 'key-2'), 401, 'refresh_token_invalid')
})

it('slides 7 days ahead, and never past the end of the session', async () => {
  const ann = await signUp(service.client)
  await service.db.query(`update sessions set expires_at = now() + interval '1 day' where id = $1`, [ann.sessionId])
  const { refreshToken } = (await refresh(ann.refreshToken)).body.data
  const { exp } = JSON.parse(Buffer.from(refreshToken.split('.')[1], 'base64url').toString())
  assert.equal(exp - Date.now() / 1000 < 86_401, true)

  await service.db.query(`update sessions set refresh_expires_at = now() where id = $1`, [ann.sessionId])
  assertProblem(await refresh(refreshToken), 401, 'refresh_token_invalid')
})
