import assert from 'node:assert/strict'
import { sign, type webcrypto } from 'node:crypto'
import { it } from 'node:test'
import { startTestApp, useTestApp } from '../../../test/support/app.ts'
import { confirmFactor } from '../../../test/support/factors.ts'
import { addManagedMember } from '../../../test/support/members.ts'
import { anyEmail, assertProblem, PASSWORD, type Person, signIn, signUp } from '../../../test/support/people.ts'
import { newId } from '../../lib/ids.ts'
import { keysFrom } from '../../lib/keys.ts'
import { signToken } from '../../lib/tokens.ts'

const service = await useTestApp()

const me = (token: string) => service.client.get('/auth/me', { token })

it('signs in with the address in any letter case, and returns roles and permissions per company', async () => {
  const ann = await signUp(service.client)
  const { status, body } = await service.client.post('/auth/login', {
    email: ` ${ann.email.toUpperCase()} `,
    password: PASSWORD,
  })
  assert.equal(status, 200)
  assert.deepEqual(Object.keys(body.data).sort(), [
    'accessToken',
    'companyAccess',
    'companyPermissions',
    'companyRoles',
    'refreshToken',
    'tenants',
    'unopenedCompanies',
    'user',
  ])
  assert.deepEqual(body.data.companyRoles, { [ann.company.id]: ['Owner'] })
})

it('answers a wrong password and an unknown address identically', async () => {
  const ann = await signUp(service.client)
  const wrong = await service.client.post('/auth/login', { email: ann.email, password: 'Wrong-horse-7' })
  const unknown = await service.client.post('/auth/login', { email: anyEmail(), password: PASSWORD })
  assertProblem(wrong, 401, 'credentials_wrong')
  assert.deepEqual(wrong.body, unknown.body)
  // The policy applies to new passwords: a short one is wrong, not malformed.
  assertProblem(await service.client.post('/auth/login', { email: ann.email, password: 'x' }), 401, 'credentials_wrong')
  for (const body of [
    { email: 'x', password: PASSWORD },
    { email: ann.email },
    { email: ann.email, password: 7 },
    { email: ann.email, password: '' },
  ]) {
    assertProblem(await service.client.post('/auth/login', body), 400, 'validation_failed')
  }
})

it('answers a right password as an unknown address where the row of its account is deleted meanwhile', async () => {
  const { client, db } = service
  const ann = await signUp(client)
  for (const hasFactor of [false, true]) {
    const bob = await addManagedMember(service, ann)
    if (hasFactor) await confirmFactor(db, bob.id)
    assert.equal((await ann.api.delete(`/companies/${ann.company.id}/members/${bob.id}`)).status, 200)
    await db.query('begin')
    await db.query('delete from accounts where id = $1', [bob.id])
    const answer = client.post('/auth/login', { email: bob.email, password: PASSWORD })
    await db.waitForLock()
    await db.query('commit')
    assertProblem(await answer, 401, 'credentials_wrong')
  }
})

it('records successful and failed sign-ins', async () => {
  const ann = await signUp(service.client)
  await service.client.post(
    '/auth/login',
    { email: ann.email, password: 'Wrong-horse-7' },
    { headers: { 'user-agent': 'test/1', 'x-request-id': 'abc-1' } },
  )
  await signIn(service.client, ann.email)
  const [failed] = await service.db.query(
    `select * from audit_records where target_id = $1 and action = 'sessions.create'`,
    [ann.id],
  )
  assert.deepEqual(
    [failed?.outcome, failed?.user_agent, failed?.request_id, failed?.ip],
    ['credentials_wrong', 'test/1', 'abc-1', '127.0.0.1'],
  )
  const [done] = await service.db.query(
    `select * from audit_records where actor_id = $1 and action = 'sessions.create'`,
    [ann.id],
  )
  assert.equal(done?.outcome, 'done')
})

it('refuses every token that is not one of its own access tokens', async () => {
  const ann = await signUp(service.client)
  const [header = '', payload = '', signature = ''] = ann.accessToken.split('.')
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const strangers = keysFrom('another-secret-of-at-least-32-characters')
  const lastCharacter = signature.at(-1) as string
  const twin =
    signature.slice(0, -1) + String.fromCharCode(lastCharacter.charCodeAt(0) + (/[zZ9]/.test(lastCharacter) ? -1 : 1))
  const resigned = (altered: object) => {
    const text = `${header}.${encode(altered)}`
    return `${text}.${sign(null, Buffer.from(text), service.keys.current.signing).toString('base64url')}`
  }
  assert.equal(resigned(claims), ann.accessToken)
  const bad = [
    resigned({ ...claims, aud: 'another-service' }),
    resigned({ ...claims, aud: [claims.aud] }),
    resigned({ ...claims, iss: 'another-issuer' }),
    resigned({ ...claims, exp: undefined }),
    resigned({ ...claims, exp: `${claims.exp}` }),
    ann.refreshToken,
    `${encode({ alg: 'none', typ: 'at+jwt' })}.${payload}.`,
    `${encode({ alg: 'HS256', typ: 'at+jwt' })}.${payload}.${signature}`,
    `${header}.${encode({ ...claims, sub: newId() })}.${signature}`,
    `${header}.${payload}.${twin}`,
    `${header}.${payload}.${signature}=`,
    `${header}.${payload}.${signature}.x`,
    `${header}.${payload}`,
    signToken(strangers, 'at+jwt', claims),
    signToken(service.keys, 'at+jwt', { ...claims, exp: claims.iat - 1 }),
    signToken(service.keys, 'at+jwt', { ...claims, sid: newId() }),
    signToken(service.keys, 'at+jwt', { ...claims, sub: newId() }),
    signToken(service.keys, 'at+jwt', { ...claims, sid: 'x' }),
    signToken(service.keys, 'at+jwt', { sub: claims.sub, sid: claims.sid, jti: '' } as never),
    `${ann.accessToken}${'x'.repeat(5000)}`,
    'x',
  ]
  for (const token of bad) {
    const answer = await me(token)
    assertProblem(answer, 401, 'token_invalid')
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer')
  }
  assert.equal((await me(ann.accessToken)).status, 200)
})

it('reads the token only from the header, with the scheme in any letter case', async () => {
  const { accessToken } = await signUp(service.client)
  for (const scheme of ['bearer', 'BEARER', 'Bearer ']) {
    assert.equal(
      (await service.client.get('/auth/me', { headers: { authorization: `${scheme} ${accessToken}` } })).status,
      200,
    )
  }
  assertProblem(await service.client.get(`/auth/me?access_token=${accessToken}`), 401, 'token_missing')
  assertProblem(await service.client.get('/auth/me', { headers: { authorization: accessToken } }), 401, 'token_missing')
  assertProblem(
    await service.client.get('/auth/me', { headers: { cookie: `token=${accessToken}` } }),
    401,
    'token_missing',
  )
})

it('publishes the key that verifies its tokens', async () => {
  const { accessToken } = await signUp(service.client)
  const response = await fetch(`${service.address}/.well-known/jwks.json`)
  const { keys } = (await response.json()) as { keys: webcrypto.JsonWebKey[] }
  assert.equal('d' in (keys[0] as object), false)
  const key = await crypto.subtle.importKey('jwk', keys[0] as webcrypto.JsonWebKey, 'Ed25519', false, ['verify'])
  const [header, payload, signature] = accessToken.split('.')
  const valid = await crypto.subtle.verify(
    'Ed25519',
    key,
    Buffer.from(signature as string, 'base64url'),
    Buffer.from(`${header}.${payload}`),
  )
  assert.equal(valid, true)
})

it('revokes the session and all its tokens at sign-out, on every node', async () => {
  const other = await startTestApp({ APP_SECRET: 'a-secret-that-two-nodes-share-0123' }, service.db)
  const node = await startTestApp({ APP_SECRET: 'a-secret-that-two-nodes-share-0123' }, service.db)
  try {
    const ann = await signUp(other.client)
    assert.equal((await node.client.get('/auth/me', { token: ann.accessToken })).status, 200)
    const answer = await ann.api.post('/auth/logout', { refreshToken: ann.refreshToken })
    assert.deepEqual([answer.status, answer.body.data], [200, {}])
    for (const { client } of [other, node]) {
      assertProblem(await client.get('/auth/me', { token: ann.accessToken }), 401, 'token_invalid')
      assertProblem(
        await client.post('/auth/refresh', { refreshToken: ann.refreshToken }),
        401,
        'refresh_token_invalid',
      )
    }
  } finally {
    await other.close()
    await node.close()
  }
})

it('signs out with any refresh token, without ending the session of another account', async () => {
  const [ann, bob] = [await signUp(service.client), await signUp(service.client)]
  assertProblem(await ann.api.post('/auth/logout', {}), 400, 'validation_failed')
  assertProblem(await ann.api.post('/auth/logout', { refreshToken: 5 }), 400, 'validation_failed')
  assert.equal((await ann.api.post('/auth/logout', { refreshToken: bob.refreshToken })).status, 200)
  assert.equal((await me(bob.accessToken)).status, 200)
  assert.equal((await service.client.post('/auth/refresh', { refreshToken: bob.refreshToken })).status, 200)

  const again = await signIn(service.client, ann.email)
  assert.equal((await again.api.post('/auth/logout', { refreshToken: 'spent or torn' })).status, 200)
  assertProblem(await me(again.accessToken), 401, 'token_invalid')
})

it('ends another session of the same account by its refresh token', async () => {
  const ann = await signUp(service.client)
  const phone = await signIn(service.client, ann.email)
  await ann.api.post('/auth/logout', { refreshToken: phone.refreshToken })
  assertProblem(await me(phone.accessToken), 401, 'token_invalid')
})

it('lists the own sessions, revokes one, and revokes all others', async () => {
  const ann = await signUp(service.client)
  const laptop = await signIn(
    service.client.with({ headers: { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0) Firefox/140.0' } }),
    ann.email,
  )
  const phone = await signIn(service.client, ann.email)
  const list = await ann.api.get('/auth/sessions')
  assert.equal(list.body.total, 3)
  const current = list.body.data.filter(({ current }: { current: boolean }) => current)
  assert.deepEqual(
    current.map(({ id }: { id: string }) => id),
    [ann.sessionId],
  )
  assert.equal(list.body.data.find(({ id }: { id: string }) => id === laptop.sessionId).device, 'Firefox on Windows')
  assert.equal(JSON.stringify(list.body).includes('refresh'), false)

  assert.deepEqual((await ann.api.delete(`/auth/sessions/${laptop.sessionId}`)).body.data, { id: laptop.sessionId })
  assertProblem(await me(laptop.accessToken), 401, 'token_invalid')
  assertProblem(await ann.api.delete(`/auth/sessions/${laptop.sessionId}`), 404, 'session_not_found')
  assertProblem(await ann.api.delete(`/auth/sessions/not-a-uuid`), 400, 'validation_failed')

  assert.deepEqual((await ann.api.delete('/auth/sessions')).body.data, { ended: 1 })
  assertProblem(await me(phone.accessToken), 401, 'token_invalid')
  assert.equal((await me(ann.accessToken)).status, 200)
})

it('does not find sessions of other accounts', async () => {
  const [ann, bob] = [await signUp(service.client), await signUp(service.client)]
  assertProblem(await ann.api.delete(`/auth/sessions/${bob.sessionId}`), 404, 'session_not_found')
  assert.equal((await me(bob.accessToken)).status, 200)
})

it('ends a session after 30 days', async () => {
  const ann = await signUp(service.client)
  await service.db.query(`update sessions set expires_at = now() where id = $1`, [ann.sessionId])
  assertProblem(await me(ann.accessToken), 401, 'token_invalid')
  assertProblem(
    await service.client.post('/auth/refresh', { refreshToken: ann.refreshToken }),
    401,
    'refresh_token_invalid',
  )
})

it('accepts tokens of the previous secret and signs with the current one', async () => {
  const [older, newer] = ['the-older-secret-of-36-characters-xx', 'the-newer-secret-of-36-characters-xx']
  const before = await startTestApp({ APP_SECRET: older }, service.db)
  const ann: Person = await signUp(before.client)
  await before.close()
  const now = await startTestApp({ APP_SECRET: newer, APP_SECRET_PREVIOUS: older }, service.db)
  try {
    assert.equal((await now.client.get('/auth/me', { token: ann.accessToken })).status, 200)
    const pair = await now.client.post('/auth/refresh', { refreshToken: ann.refreshToken })
    assert.equal(pair.status, 200)
    assert.notEqual(pair.body.data.accessToken.split('.')[0], ann.accessToken.split('.')[0])
  } finally {
    await now.close()
  }
})
