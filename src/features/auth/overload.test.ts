import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { availableParallelism } from 'node:os'
import { it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { addApp, challengeFor, confirmSignIn } from '../../../test/support/factors.ts'
import { connect, from, rawRequest, untilLogged } from '../../../test/support/http.ts'
import { anyEmail, assertProblem, PASSWORD, signUp } from '../../../test/support/people.ts'
import { until } from '../../../test/support/until.ts'

const NEW = 'Another-horse-8'
const WAITING_MAX = 64
const AT_ONCE_MAX = availableParallelism() + 1

// Tests send requests from many networks, as through a proxy.
const service = await useTestApp({ TRUST_PROXY: 'loopback' }, { hashesCheaply: false })

const login = (email: string, ip: string, password = PASSWORD) =>
  service.client.post('/auth/login', { email, password }, from(ip))

/** Occupies all turns of hashing and the whole queue, from as many networks, until released. */
function occupyHashing({ waiting = WAITING_MAX } = {}) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const works = Array.from({ length: AT_ONCE_MAX + waiting }, (_, index) => {
    const caller = { ip: `10.0.${index}.1`, isDisconnected: () => false }
    return service.parts.hashing.run(caller, { isKnown: false }, () => promise)
  })
  return async () => {
    resolve()
    await Promise.all(works)
  }
}

const failuresOf = async (email: string) =>
  (await service.db.query<{ failures: number }>(`select failures from password_attempts where email = $1`, [email]))[0]
    ?.failures ?? 0

it('counts no failed attempt when a sign-in is refused because the hashing queue is full', async () => {
  const ann = await signUp(service.client.with(from('198.51.100.1')))
  const stranger = anyEmail()
  const release = occupyHashing()
  for (let i = 0; i < 12; i++) {
    const refused = await login(ann.email, '203.0.113.1')
    assertProblem(refused, 503, 'overloaded')
    assert.equal(refused.headers.get('retry-after'), '2')
    assertProblem(await login(stranger, '203.0.113.1'), 503, 'overloaded')
  }
  await release()
  assert.deepEqual([await failuresOf(ann.email), await failuresOf(stranger)], [0, 0])
  assert.equal((await login(ann.email, '203.0.113.1')).status, 200)
  assertProblem(await login(stranger, '203.0.113.1'), 401, 'credentials_wrong')
})

it('counts no failed attempt when a password change is refused because the hashing queue is full', async () => {
  const ann = await signUp(service.client.with(from('198.51.100.2')))
  const elsewhere = ann.api.with(from('203.0.113.2'))
  const release = occupyHashing()
  for (let i = 0; i < 12; i++) {
    const change = { currentPassword: PASSWORD, newPassword: NEW }
    assertProblem(await elsewhere.post('/auth/change-password', change), 503, 'overloaded')
  }
  await release()
  assert.equal(await failuresOf(ann.email), 0)
  const change = { currentPassword: PASSWORD, newPassword: NEW }
  assert.equal((await elsewhere.post('/auth/change-password', change)).status, 200)
})

it('counts no failed attempt when the password is right and the request is refused for another reason', async () => {
  const ann = await signUp(service.client.with(from('198.51.100.3')))
  const elsewhere = ann.api.with(from('203.0.113.3'))
  for (let i = 0; i < 12; i++) {
    const change = { currentPassword: PASSWORD, newPassword: PASSWORD }
    assertProblem(await elsewhere.post('/auth/change-password', change), 422, 'password_unchanged')
  }
  await service.db.query(`alter table sessions add constraint broken check (false) not valid`)
  try {
    for (let i = 0; i < 12; i++) assert.equal((await login(ann.email, '203.0.113.3')).status, 500)
  } finally {
    await service.db.query(`alter table sessions drop constraint broken`)
  }
  assert.equal(await failuresOf(ann.email), 0)
  assert.equal((await login(ann.email, '203.0.113.3')).status, 200)
})

it('counts no wrong second factor when a right one is refused for another reason', async () => {
  const ann = await signUp(service.client)
  const app = await addApp(service, ann)
  const signInWithCode = async () => confirmSignIn(service.client, ann, { code: await app.unusedCode() })
  const stepUp = async () => ann.api.post('/auth/step-up', { code: await app.unusedCode() })
  await service.db.query(`alter table sessions add constraint broken check (false) not valid`)
  try {
    for (let i = 0; i < 10; i++) assert.equal((await signInWithCode()).status, 500)
    for (let i = 0; i < 5; i++) assert.equal((await stepUp()).status, 500)
  } finally {
    await service.db.query(`alter table sessions drop constraint broken`)
  }
  assert.equal((await signInWithCode()).status, 200)
  assert.equal((await stepUp()).status, 200)
})

it('counts no second factor that a fault kept from being looked at', async () => {
  const ann = await signUp(service.client)
  const app = await addApp(service, ann)
  const challenges = await Promise.all(Array.from({ length: 10 }, () => challengeFor(service.client, ann)))
  const code = await app.unusedCode()
  await service.db.query('begin')
  await service.db.query('lock table second_factors in access exclusive mode')
  const answers = await Promise.all([
    ...challenges.map((challenge) => service.client.post('/auth/login/second-factor', { challenge, code })),
    ...Array.from({ length: 5 }, () => ann.api.post('/auth/step-up', { code })),
  ])
  await service.db.query('commit')
  for (const answer of answers) assertProblem(answer, 503, 'database_unavailable')
  assert.equal((await confirmSignIn(service.client, ann, { code: await app.unusedCode() })).status, 200)
  assert.equal((await ann.api.post('/auth/step-up', { code: await app.unusedCode() })).status, 200)
})

it('serves other networks while one network fills its share of the queue', async () => {
  const ann = await signUp(service.client.with(from('198.51.100.4')))
  const statuses: number[] = []
  const flood = Array.from({ length: 200 }, async (_, index) => {
    const { status } = await login(anyEmail(), `203.0.113.${index}`)
    statuses.push(status)
  })
  // The first refusal shows that the queue is full.
  while (!statuses.includes(503)) await Promise.race(flood.splice(0, 1))
  const others = await Promise.all([
    login(ann.email, '192.0.2.1'),
    login(anyEmail(), '2001:db8:7::1', 'Wrong-horse-7'),
    service.client.post('/auth/register', { email: 'x' }, from('192.0.2.2')),
  ])
  assert.deepEqual(
    others.map(({ status }) => status),
    [200, 401, 400],
  )
  await Promise.all(flood)
  assert.ok(statuses.filter((status) => status === 401).length >= WAITING_MAX)
  assert.deepEqual([...new Set(statuses)].sort(), [401, 503])
})

it('reserves hashing slots for networks from which the account signed in lately', async () => {
  const client = service.client.with(from('198.51.100.5'))
  const [ann, bob] = [await signUp(client), await signUp(client)]
  const release = occupyHashing()
  assertProblem(await login(ann.email, '203.0.113.5'), 503, 'overloaded')
  const known = login(ann.email, '198.51.100.5')
  // Another account, because a change of Ann's password could end her sign-in.
  const changed = bob.api.post('/auth/change-password', { currentPassword: PASSWORD, newPassword: NEW })
  assertProblem(await login(ann.email, '203.0.113.5'), 503, 'overloaded')
  await release()
  assert.deepEqual([(await known).status, (await changed).status].sort(), [200, 200])
})

it('skips and does not count a sign-in whose client has disconnected', async () => {
  const ann = await signUp(service.client.with(from('198.51.100.6')))
  const release = occupyHashing({ waiting: 0 })
  const start = service.logged.length
  const body = JSON.stringify({ email: ann.email, password: PASSWORD })
  const headers = {
    'content-type': 'application/json',
    'content-length': body.length,
    'x-forwarded-for': '203.0.113.6',
  }
  const accepted = new Promise<Socket>((resolve) => service.app.server.once('connection', resolve))
  const socket = connect(service.address)
  socket.write(rawRequest('POST /api/auth/login', headers, body))
  const connection = await accepted
  const closed = new Promise((resolve) => connection.once('close', resolve))
  await until(() => service.parts.hashing.stats().waiting === 1)
  socket.destroy()
  await closed
  await release()
  await untilLogged(service.logged, /"code":"overloaded".*"request failed"/, start)
  const sessions = await service.db.query(`select id from sessions where account_id = $1`, [ann.id])
  assert.deepEqual([sessions.length, await failuresOf(ann.email)], [1, 0])
})
