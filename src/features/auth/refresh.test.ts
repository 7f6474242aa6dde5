import assert from 'node:assert/strict'
import { createHmac, sign } from 'node:crypto'
import { it } from 'node:test'
import { sql } from 'kysely'
import { useTestApp } from '../../../test/support/app.ts'
import { whileSessionLocked } from '../../../test/support/locked-session.ts'
import { addManagedMember, addMember, emailedPassword, join } from '../../../test/support/members.ts'
import { anyEmail, assertProblem, PASSWORD, type Person, signIn, signUp } from '../../../test/support/people.ts'
import type { Tx } from '../../database/open.ts'
import { asAnyoneWith } from '../../database/scopes.ts'
import { createExchange } from './refresh.ts'

const service = await useTestApp()

const refresh = (refreshToken: unknown, key?: string) =>
  service.client.post('/auth/refresh', { refreshToken }, key ? { headers: { 'idempotency-key': key } } : {})
const me = (token: string) => service.client.get('/auth/me', { token })

/** Ages the last exchanges of a session. */
const letTimePass = (sessionId: string, seconds: number) =>
  service.db.query(
    `update sessions set rotated_at = rotated_at - make_interval(secs => $2),
       recent_times = array(select time - make_interval(secs => $2) from unnest(recent_times) as time)
     where id = $1`,
    [sessionId, seconds],
  )

const emailsAbout = ({ email }: Person) => service.mailbox.to(email, 'refresh_token_reused')

async function endOf({ sessionId }: Person): Promise<string | null> {
  const [row] = await service.db.query<{ revoked_reason: string | null }>(
    'select revoked_reason from sessions where id = $1',
    [sessionId],
  )
  return row?.revoked_reason ?? null
}

const claimsOf = (token: string): { jti: string; aud: string } =>
  JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString())
const idsOf = ({ accessToken, refreshToken }: { accessToken: string; refreshToken: string }) =>
  [accessToken, refreshToken].map((token) => claimsOf(token).jti)

/** The audit records of a session. */
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
  const token = await service.mailbox.token(newEmail, 'change_email')
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

it('refuses anything but its own refresh tokens', async () => {
  const ann = await signUp(service.client)
  for (const token of [ann.accessToken, 'x', `${ann.refreshToken}x`, 'x'.repeat(5000), '\0']) {
    assertProblem(await refresh(token), 401, 'refresh_token_invalid')
  }
  for (const token of [undefined, null, 5, '', {}]) assertProblem(await refresh(token), 400, 'validation_failed')
})

it('accepts no refresh token that the published key makes, and no access token that is signed like a refresh token', async () => {
  const ann = await signUp(service.client)
  const { jwk, mac, signing } = service.keys.current
  const [header, payload] = ann.refreshToken.split('.') as [string, string]
  const signed = `${header}.${payload}`
  const published = Buffer.from(jwk.x, 'base64url')
  for (const proof of [
    createHmac('sha256', published).update(signed).digest(),
    createHmac('sha256', jwk.x).update(signed).digest(),
    sign(null, Buffer.from(signed), signing),
    mac('sign tokens v1', signed),
    Buffer.alloc(32),
  ])
    assertProblem(await refresh(`${signed}.${proof.toString('base64url')}`), 401, 'refresh_token_invalid')

  const access = ann.accessToken.split('.').slice(0, 2).join('.')
  for (const forged of [access, `${header}.${access.split('.')[1]}`])
    assertProblem(
      await me(`${forged}.${mac('sign refresh tokens v1', forged).toString('base64url')}`),
      401,
      'token_invalid',
    )
  assert.equal((await refresh(ann.refreshToken)).status, 200)
})

it('returns one working pair to fifty parallel requests with one token', async () => {
  const ann = await signUp(service.client)
  const answers = await whileSessionLocked(service, ann, 50, () =>
    Promise.all(Array.from({ length: 50 }, () => refresh(ann.refreshToken))),
  )
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  const pairs = new Set(answers.map(({ body }) => JSON.stringify(body.data)))
  assert.equal(pairs.size, 1)
  const [pair] = [...pairs].map((text) => JSON.parse(text))
  assert.equal((await me(pair.accessToken)).status, 200)
  assert.equal((await refresh(pair.refreshToken)).status, 200)
})

it('returns the same pair to parallel requests with keys of their own, and stores their keys', async () => {
  const ann = await signUp(service.client)
  const keys = [undefined, 'tab-1', 'tab-2', 'tab-2', undefined]
  const answers = await whileSessionLocked(service, ann, keys.length, () =>
    Promise.all(keys.map((key) => refresh(ann.refreshToken, key))),
  )
  for (const { body } of answers) assert.deepEqual(body.data, answers[0]?.body.data)
  for (const key of ['tab-1', 'tab-2'])
    assert.deepEqual((await refresh(ann.refreshToken, key)).body.data, answers[0]?.body.data)
  assertProblem(await refresh(ann.refreshToken), 401, 'refresh_token_invalid')
})

it('returns no pair to a request without the key that comes together with a retry', async () => {
  const ann = await signUp(service.client)
  const first = await refresh(ann.refreshToken, 'key-1')
  const [retry, other] = await Promise.all([refresh(ann.refreshToken, 'key-1'), refresh(ann.refreshToken)])
  assert.deepEqual(retry.body.data, first.body.data)
  assertProblem(other, 401, 'refresh_token_invalid')
})

const caller = {
  ip: '127.0.0.1',
  network: '127.0.0.1/32',
  userAgent: '',
  requestId: '',
  idempotencyKey: undefined,
  isDisconnected: () => false,
}

/** Exchanges on nodes of their own, which share only the database. Each request came a minute ago. */
async function overlap(refreshToken: string, keys: (string | undefined)[]) {
  const elapsedMs = () => 60_000
  const answers = keys.map((idempotencyKey) =>
    createExchange(service.parts)(refreshToken, { ...caller, elapsedMs, idempotencyKey }),
  )
  return (await Promise.all(answers)).map(({ pair }) => pair)
}

it('returns the same pair to requests that overlap on two nodes', async () => {
  const ann = await signUp(service.client)
  const pairs = await overlap(ann.refreshToken, [undefined, undefined])
  assert.deepEqual(pairs[0], pairs[1])
})

it('returns the pair on another node only to a request that had arrived there by the time of the exchange', async () => {
  const ann = await signUp(service.client)
  const { body } = await refresh(ann.refreshToken)
  await letTimePass(ann.sessionId, 2)
  const arrived = (msAgo: number) =>
    createExchange(service.parts)(ann.refreshToken, { ...caller, elapsedMs: () => msAgo })
  // Ageing the rows moves the times in the tokens, so only their ids are compared.
  assert.deepEqual(idsOf((await arrived(60_000)).pair), idsOf(body.data))
  await assert.rejects(arrived(0), { code: 'refresh_token_invalid' })
  assert.equal(await endOf(ann), null)
})

it('never counts a request as concurrent that comes after the answer on the same node, however soon', async () => {
  const ann = await signUp(service.client)
  const exchange = createExchange(service.parts)
  // By the database's clock alone it would have come before the exchange.
  const early = { ...caller, elapsedMs: () => 60_000 }
  await exchange(ann.refreshToken, early)
  await turnsOfTheEventLoop(2)
  await assert.rejects(exchange(ann.refreshToken, early), { code: 'refresh_token_invalid' })
})

it('remembers no exchange whose requests were answered', async () => {
  const ann = await signUp(service.client)
  const exchange = createExchange(service.parts)
  const early = { ...caller, elapsedMs: () => 60_000 }
  await service.db.query('alter table sessions add constraint broken check (previous_refresh_id is null) not valid')
  try {
    await assert.rejects(exchange(ann.refreshToken, early), /broken/)
  } finally {
    await service.db.query('alter table sessions drop constraint broken')
  }
  await turnsOfTheEventLoop(2)
  assert.equal((await me((await exchange(ann.refreshToken, early)).pair.accessToken)).status, 200)
})

async function turnsOfTheEventLoop(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve))
}

it('treats reuse of a token within 10 seconds as an accident: 401, and the session continues', async () => {
  const ann = await signUp(service.client)
  const second = (await refresh(ann.refreshToken)).body.data
  assertProblem(await refresh(ann.refreshToken), 401, 'refresh_token_invalid')
  const third = (await refresh(second.refreshToken)).body.data
  assertProblem(await refresh(ann.refreshToken), 401, 'refresh_token_invalid')
  await letTimePass(ann.sessionId, 9)
  assertProblem(await refresh(second.refreshToken), 401, 'refresh_token_invalid')
  assert.equal((await me(third.accessToken)).status, 200)
  assert.equal((await refresh(third.refreshToken)).status, 200)
})

it('treats reuse as an accident also when many exchanges follow each other within 10 seconds', async () => {
  const ann = await signUp(service.client)
  const spent = [ann.refreshToken]
  for (let i = 0; i < 20; i++) spent.push((await refresh(spent.at(-1))).body.data.refreshToken)
  const live = spent.pop()
  for (const token of spent) assertProblem(await refresh(token), 401, 'refresh_token_invalid')
  assert.equal(await endOf(ann), null)
  assert.equal((await refresh(live)).status, 200)
})

it('treats reuse of a token after 10 seconds as theft: the session is revoked and the theft recorded', async () => {
  const ann = await signUp(service.client)
  const pair = (await refresh(ann.refreshToken)).body.data
  await letTimePass(ann.sessionId, 11)
  assertProblem(await refresh(ann.refreshToken), 401, 'refresh_token_invalid')
  assertProblem(await me(pair.accessToken), 401, 'token_invalid')
  assertProblem(await refresh(pair.refreshToken), 401, 'refresh_token_invalid')
  assert.equal(await endOf(ann), 'refresh_token_reused')
  assert.deepEqual(await recordsOf(ann), ['sessions.end_stolen done'])
  const [email] = await emailsAbout(ann)
  assert.match(email?.text ?? '', /we signed out that device/)
  assert.match(email?.text ?? '', /https:\/\/app\.example\.com\/reset-password/)
})

it('sends a notice about a reuse within 10 seconds, while the session continues', async () => {
  const ann = await signUp(service.client)
  const stolen = (await refresh(ann.refreshToken)).body.data
  assertProblem(await refresh(ann.refreshToken), 401, 'refresh_token_invalid')
  assert.equal((await me(stolen.accessToken)).status, 200)
  assert.deepEqual(await recordsOf(ann), ['sessions.refresh refresh_token_invalid'])
  const [email, ...more] = await emailsAbout(ann)
  assert.match(email?.text ?? '', /didn’t sign out any device/)
  assert.equal(more.length, 0)
})

it('sends one notice per session, for any number of parallel and later reuses', async () => {
  const ann = await signUp(service.client)
  const pair = (await refresh(ann.refreshToken)).body.data
  const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => refresh(ann.refreshToken, `thief-${i}`)))
  for (const answer of answers) assertProblem(answer, 401, 'refresh_token_invalid')
  assert.equal((await recordsOf(ann)).length, 20)
  await refresh(pair.refreshToken)
  await letTimePass(ann.sessionId, 11)
  await Promise.all(Array.from({ length: 20 }, () => refresh(ann.refreshToken)))
  assert.equal(await endOf(ann), 'refresh_token_reused')
  assert.equal((await recordsOf(ann)).filter((record) => record === 'sessions.end_stolen done').length, 1)
  assert.equal((await emailsAbout(ann)).length, 1)
})

it('sends no notice for racing tabs, lost responses and ended sessions', async () => {
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

it('detects the reuse of a token after many further exchanges', async () => {
  const ann = await signUp(service.client)
  let pair = (await refresh(ann.refreshToken)).body.data
  await letTimePass(ann.sessionId, 60)
  for (let i = 0; i < 3; i++) pair = (await refresh(pair.refreshToken)).body.data
  assertProblem(await refresh(ann.refreshToken), 401, 'refresh_token_invalid')
  assertProblem(await me(pair.accessToken), 401, 'token_invalid')
})

it('replays the response to the same Idempotency-Key for 10 minutes, so that a lost response ends no session', async () => {
  const ann = await signUp(service.client)
  const first = await refresh(ann.refreshToken, 'key-1')
  const repeated = await refresh(ann.refreshToken, 'key-1')
  assert.equal(repeated.status, 200)
  assert.deepEqual(repeated.body.data, first.body.data)
  await letTimePass(ann.sessionId, 590)
  // Ageing the rows moves the times in the tokens, so only their ids are compared.
  assert.deepEqual(idsOf((await refresh(ann.refreshToken, 'key-1')).body.data), idsOf(first.body.data))

  const next = await refresh(first.body.data.refreshToken, 'key-2')
  assert.equal(next.status, 200)
  // The new token was exchanged already: a replay would return a second valid pair.
  assertProblem(await refresh(ann.refreshToken, 'key-1'), 401, 'refresh_token_invalid')
})

it('ends the session as lost, not as stolen, when a retry with the key comes after 10 minutes', async () => {
  const ann = await signUp(service.client)
  const pair = (await refresh(ann.refreshToken, 'key-1')).body.data
  await letTimePass(ann.sessionId, 601)
  assertProblem(await refresh(ann.refreshToken, 'key-1'), 401, 'refresh_token_invalid')
  assertProblem(await me(pair.accessToken), 401, 'token_invalid')
  assert.equal(await endOf(ann), 'response_lost')
  assert.deepEqual(await recordsOf(ann), ['sessions.end_lost done'])
  assert.deepEqual(await emailsAbout(ann), [])
})

it('treats reuse as theft in spite of a key once the new token was used, or when the key differs', async () => {
  for (const key of ['key-1', 'key-2']) {
    const ann = await signUp(service.client)
    const pair = (await refresh(ann.refreshToken, 'key-1')).body.data
    if (key === 'key-1') await refresh(pair.refreshToken)
    await letTimePass(ann.sessionId, 601)
    assertProblem(await refresh(ann.refreshToken, key), 401, 'refresh_token_invalid')
    assert.equal(await endOf(ann), 'refresh_token_reused')
    assert.equal((await emailsAbout(ann)).length, 1)
  }
})

it('replays no pair from before a change of password or address, and keeps the session', async () => {
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

it('decides about an exchanged token by the session as read under its lock', async () => {
  const ann = await signUp(service.client)
  await refresh(ann.refreshToken, 'key-1')
  await letTimePass(ann.sessionId, 601)
  await service.db.query('begin')
  await service.db.query('select from sessions where id = $1 for update', [ann.sessionId])
  const late = refresh(ann.refreshToken, 'key-1')
  await service.db.waitForLock()
  await service.db.query(`update sessions set revoked_at = now(), revoked_reason = 'signed_out' where id = $1`, [
    ann.sessionId,
  ])
  await service.db.query('commit')
  assertProblem(await late, 401, 'refresh_token_invalid')
  assert.deepEqual([await endOf(ann), await recordsOf(ann)], ['signed_out', []])
})

it('gives access tokens ids from which no refresh token id can be derived', async () => {
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

it('stores the keys of all racing requests', async () => {
  const ann = await signUp(service.client)
  const [unkeyed, keyed] = await overlap(ann.refreshToken, [undefined, 'key-9'])
  assert.deepEqual(unkeyed, keyed)
  assert.deepEqual((await refresh(ann.refreshToken, 'key-9')).body.data, keyed)
})

it('replays nothing for another key', async () => {
  const ann = await signUp(service.client)
  await refresh(ann.refreshToken, 'key-1')
  assertProblem(await refresh(ann.refreshToken, 'key-2'), 401, 'refresh_token_invalid')
})

it('extends the refresh token by 7 days, never beyond the end of the session', async () => {
  const ann = await signUp(service.client)
  await service.db.query(`update sessions set expires_at = now() + interval '1 day' where id = $1`, [ann.sessionId])
  const { refreshToken } = (await refresh(ann.refreshToken)).body.data
  const { exp } = JSON.parse(Buffer.from(refreshToken.split('.')[1], 'base64url').toString())
  assert.equal(exp - Date.now() / 1000 < 86_401, true)

  await service.db.query(`update sessions set refresh_expires_at = now() where id = $1`, [ann.sessionId])
  assertProblem(await refresh(refreshToken), 401, 'refresh_token_invalid')
})

it('keeps a session of a temporary password only while that password could be used', async () => {
  const ann = await signUp(service.client)
  const eve = await join(ann, await signUp(service.client), ['Admin'])
  const bob = await addManagedMember(service, ann)
  const shown = await eve.api.post(`/companies/users/${bob.id}/reset-password`)
  const opened = await signIn(service.client, bob.email, shown.body.data.temporaryPassword)
  const kept = await refresh(opened.refreshToken)
  assert.equal(kept.status, 200)
  // Other services refuse it.
  for (const token of [opened.accessToken, kept.body.data.accessToken])
    assert.equal(claimsOf(token).aud, 'tenantry/change-password')
  assert.equal((await ann.api.delete(`/companies/users/${eve.id}`)).status, 200)
  assertProblem(await refresh(kept.body.data.refreshToken), 401, 'refresh_token_invalid')

  const { email } = await addMember(ann)
  const carl = await signIn(service.client, email, await emailedPassword(service, email))
  await service.db.query(`update passwords set expires_at = now() where account_id = $1`, [carl.id])
  assertProblem(await refresh(carl.refreshToken), 401, 'refresh_token_invalid')
  assert.equal((await emailsAbout(carl)).length, 0)
})

it('takes no more than its share of the connections, however often a used token comes', async () => {
  const ann = await signUp(service.client)
  assert.equal((await refresh(ann.refreshToken)).status, 200)
  await letTimePass(ann.sessionId, 60)
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const held: Promise<unknown>[] = []
  for (let count = 0; count < 3; count++)
    await new Promise<void>((isHeld) => {
      const work = async (tx: Tx) => {
        await sql`select 1`.execute(tx)
        isHeld()
        await released
      }
      held.push(service.database.write(asAnyoneWith('used token', ann.sessionId), work))
    })
  const refused = await refresh(ann.refreshToken)
  release()
  await Promise.all(held)
  assert.equal(refused.status, 503)
  assertProblem(await refresh(ann.refreshToken), 401, 'refresh_token_invalid')
})
