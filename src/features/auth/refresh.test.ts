import assert from 'node:assert/strict'
import { it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { anyEmail, assertProblem, PASSWORD, type Person, signUp } from '../../../test/support/people.ts'
import { createExchange } from './refresh.ts'

const service = await useTestApp()

const refresh = (refreshToken: unknown, key?: string) =>
  service.client.post('/auth/refresh', { refreshToken }, key ? { headers: { 'idempotency-key': key } } : {})
const me = (token: string) => service.client.get('/auth/me', { token })

/** Lets a session's last exchanges lie that much further back. */
const letPass = (sessionId: string, seconds: number) =>
  service.db.query(
    `update sessions set rotated_at = rotated_at - make_interval(secs => $2), recently_spent = coalesce(
      (select jsonb_object_agg(key, (value #>> '{}')::timestamptz - make_interval(secs => $2)) from jsonb_each(recently_spent)), '{}')
     where id = $1`,
    [sessionId, seconds],
  )

const emailsAbout = ({ email }: Person) => service.postbox.to(email, 'refresh_token_reused')

async function endOf({ sessionId }: Person): Promise<string | null> {
  const [row] = await service.db.query<{ revoked_because: string | null }>(
    'select revoked_because from sessions where id = $1',
    [sessionId],
  )
  return row?.revoked_because ?? null
}

const idsOf = ({ accessToken, refreshToken }: { accessToken: string; refreshToken: string }) =>
  [accessToken, refreshToken].map(
    (token) => JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString()).jti as string,
  )

/** What the audit says of a session since it was opened. */
async function recordsOf({ sessionId }: Person): Promise<string[]> {
  const rows = await service.db.query<{ record: string }>(
    `select action || ' ' || outcome as record from audit_records where target_id = $1 order by id`,
    [sessionId],
  )
  return rows.map(({ record }) => record)
}

async function changeAddress({ email, api }: Person): Promise<string> {
  const newEmail = anyEmail()
  await api.put('/auth/profile', { email: newEmail })
  const token = await service.postbox.token(newEmail, 'change_email')
  assert.equal((await service.client.post('/auth/verify-email', { token })).status, 200, email)
  return newEmail
}

const changePassword = ({ api }: Person) =>
  api.post('/auth/change-password', { currentPassword: PASSWORD, newPassword: 'Another-horse-8' })

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

/** Requests that are there before any of them is answered, each on a node of its own: those share but the database. */
async function overlap(refreshToken: string, keys: (string | undefined)[]) {
  const elapsedMs = () => 60_000
  const caller = {
    ip: '127.0.0.1',
    network: '127.0.0.1/32',
    userAgent: '',
    requestId: '',
    elapsedMs,
    isGone: () => false,
  }
  const answers = keys.map((idempotencyKey) =>
    createExchange(service.parts)(refreshToken, { ...caller, idempotencyKey }),
  )
  return (await Promise.all(answers)).map(({ pair }) => pair)
}

it('gives requests that overlap on two nodes the same pair', async () => {
  const ann = await signUp(service.client)
  const pairs = await overlap(ann.refreshToken, [undefined, undefined])
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
  assert.equal(await endOf(ann), 'refresh_token_reused')
  assert.deepEqual(await recordsOf(ann), ['sessions.end_stolen done'])
  const [email] = await emailsAbout(ann)
  assert.match(email?.text ?? '', /that device was signed out/)
  assert.match(email?.text ?? '', /https:\/\/app\.example\.com\/reset-password/)
})

it('tells the owner when a thief was faster, within the 10 seconds in which the session lives on', async () => {
  const ann = await signUp(service.client)
  const stolen = (await refresh(ann.refreshToken)).body.data
  assertProblem(await refresh(ann.refreshToken), 401, 'refresh_token_invalid')
  assert.equal((await me(stolen.accessToken)).status, 200)
  assert.deepEqual(await recordsOf(ann), ['sessions.refresh refresh_token_invalid'])
  const [email, ...more] = await emailsAbout(ann)
  assert.match(email?.text ?? '', /no device was signed out/)
  assert.equal(more.length, 0)
})

it('tells it once for each session, however many come at once and whatever follows', async () => {
  const ann = await signUp(service.client)
  const pair = (await refresh(ann.refreshToken)).body.data
  const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => refresh(ann.refreshToken, `thief-${i}`)))
  for (const answer of answers) assertProblem(answer, 401, 'refresh_token_invalid')
  assert.equal((await recordsOf(ann)).length, 20)
  await refresh(pair.refreshToken)
  await letPass(ann.sessionId, 11)
  await Promise.all(Array.from({ length: 20 }, () => refresh(ann.refreshToken)))
  assert.equal(await endOf(ann), 'refresh_token_reused')
  assert.equal((await recordsOf(ann)).filter((record) => record === 'sessions.end_stolen done').length, 1)
  assert.equal((await emailsAbout(ann)).length, 1)
})

it('sends no email about tabs that race, answers that were lost, and sessions that have ended', async () => {
  const ann = await signUp(service.client)
  await overlap(ann.refreshToken, [undefined, 'tab', undefined])
  const { refreshToken } = (await refresh(ann.refreshToken, 'tab')).body.data
  assert.equal((await refresh(refreshToken)).status, 200)
  await ann.api.post('/auth/logout', { refreshToken })
  for (const token of [ann.refreshToken, refreshToken, `${refreshToken}x`])
    assertProblem(await refresh(token), 401, 'refresh_token_invalid')
  assert.deepEqual(await recordsOf(ann), ['sessions.sign_out done'])
  assert.deepEqual(await emailsAbout(ann), [])
})

it('recognises an old token although many exchanges lie between', async () => {
  const ann = await signUp(service.client)
  let pair = (await refresh(ann.refreshToken)).body.data
  await letPass(ann.sessionId, 60)
  for (let i = 0; i < 3; i++) pair = (await refresh(pair.refreshToken)).body.data
  assertProblem(await refresh(ann.refreshToken), 401, 'refresh_token_invalid')
  assertProblem(await me(pair.accessToken), 401, 'token_invalid')
})

it('repeats its answer to the same Idempotency-Key for 10 minutes, so that a lost answer logs nobody out', async () => {
  const ann = await signUp(service.client)
  const first = await refresh(ann.refreshToken, 'key-1')
  const repeated = await refresh(ann.refreshToken, 'key-1')
  assert.equal(repeated.status, 200)
  assert.deepEqual(repeated.body.data, first.body.data)
  await letPass(ann.sessionId, 590)
  // Letting time pass moves the times in the tokens, too: they are the same by their names.
  assert.deepEqual(idsOf((await refresh(ann.refreshToken, 'key-1')).body.data), idsOf(first.body.data))

  const next = await refresh(first.body.data.refreshToken, 'key-2')
  assert.equal(next.status, 200)
  // Its successor is spent: a repetition would bring a second live pair.
  assertProblem(await refresh(ann.refreshToken, 'key-1'), 401, 'refresh_token_invalid')
})

it('ends the session as a lost answer when the key comes later, without a word of theft', async () => {
  const ann = await signUp(service.client)
  const pair = (await refresh(ann.refreshToken, 'key-1')).body.data
  await letPass(ann.sessionId, 601)
  assertProblem(await refresh(ann.refreshToken, 'key-1'), 401, 'refresh_token_invalid')
  assertProblem(await me(pair.accessToken), 401, 'token_invalid')
  assert.equal(await endOf(ann), 'answer_lost')
  assert.deepEqual(await recordsOf(ann), ['sessions.end_lost done'])
  assert.deepEqual(await emailsAbout(ann), [])
})

it('takes the key for theft all the same once the successor was used, or when it is another key', async () => {
  for (const key of ['key-1', 'key-2']) {
    const ann = await signUp(service.client)
    const pair = (await refresh(ann.refreshToken, 'key-1')).body.data
    if (key === 'key-1') await refresh(pair.refreshToken)
    await letPass(ann.sessionId, 601)
    assertProblem(await refresh(ann.refreshToken, key), 401, 'refresh_token_invalid')
    assert.equal(await endOf(ann), 'refresh_token_reused')
    assert.equal((await emailsAbout(ann)).length, 1)
  }
})

it('repeats no pair from before a change of password or address, and lets the session itself live on', async () => {
  for (const change of [changePassword, changeAddress]) {
    const ann = await signUp(service.client)
    const pair = (await refresh(ann.refreshToken, 'key-1')).body.data
    await change(ann)
    assertProblem(await refresh(ann.refreshToken, 'key-1'), 401, 'refresh_token_invalid')
    assert.deepEqual(await recordsOf(ann), ['sessions.refresh refresh_token_invalid'])
    assert.deepEqual(await emailsAbout(ann), [])
    assert.equal((await me(pair.accessToken)).status, 200)

    const next = await refresh(pair.refreshToken, 'key-2')
    assert.equal(next.status, 200)
    assert.deepEqual((await refresh(pair.refreshToken, 'key-2')).body.data, next.body.data)
  }
})

it('judges a spent token by what the session is under its lock, not by what it was before', async () => {
  const ann = await signUp(service.client)
  await refresh(ann.refreshToken, 'key-1')
  await letPass(ann.sessionId, 601)
  await service.db.query('begin')
  await service.db.query('select from sessions where id = $1 for update', [ann.sessionId])
  const late = refresh(ann.refreshToken, 'key-1')
  await service.db.waitForLock()
  await service.db.query(`update sessions set revoked_at = now(), revoked_because = 'signed_out' where id = $1`, [
    ann.sessionId,
  ])
  await service.db.query('commit')
  assertProblem(await late, 401, 'refresh_token_invalid')
  assert.deepEqual([await endOf(ann), await recordsOf(ann)], ['signed_out', []])
})

it('gives access tokens names of their own, from which no refresh token’s name can be told', async () => {
  const ann = await signUp(service.client)
  const pair = (await refresh(ann.refreshToken)).body.data
  const ids = [...idsOf(ann), ...idsOf(pair)]
  assert.equal(new Set(ids).size, 4)
  const [session] = await service.db.query<Record<string, unknown>>('select * from sessions where id = $1', [
    ann.sessionId,
  ])
  const known = JSON.stringify(session)
  assert.ok(known.includes(ids[3] as string))
  for (const id of [ids[0], ids[2]] as string[]) {
    assert.match(id, /^[\w-]{22}$/)
    assert.ok(!known.includes(id) && !ids.some((other) => other !== id && id.includes(other)))
  }
})

it('remembers the key of whoever lost the race, too', async () => {
  const ann = await signUp(service.client)
  const [unkeyed, keyed] = await overlap(ann.refreshToken, [undefined, 'key-9'])
  assert.deepEqual(unkeyed, keyed)
  assert.deepEqual((await refresh(ann.refreshToken, 'key-9')).body.data, keyed)
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
