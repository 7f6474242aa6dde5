import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { startTestApp, type TestApp } from './support/app.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { assertProblem, PASSWORD, type Person, registration, signUp } from './support/people.ts'
import { type Network, startNetwork } from './support/postgres.ts'

let db: TestDatabase
let network: Network
let service: TestApp
let ann: Person
before(async () => {
  db = await createTestDatabase()
  network = await startNetwork(db)
  service = await startTestApp({}, { ...db, target: network.target })
  ann = await signUp(service.client)
})
after(async () => {
  await service.close()
  await network.close()
  await db.drop()
})

/** A request to every kind of route: public and authenticated, of an account and of a company, reading and writing. */
const requests = () => [
  service.client.get('/health/ready'),
  service.client.post('/auth/login', { email: ann.email, password: PASSWORD }),
  service.client.post('/auth/register', registration()),
  service.client.post('/auth/refresh', { refreshToken: ann.refreshToken }),
  service.client.post('/auth/forgot-password', { email: ann.email }),
  ann.api.get('/auth/me'),
  ann.api.put('/auth/profile', { phone: '1' }),
  ann.api.get('/companies/users'),
  ann.api.post('/companies/users', { name: 'Bob', email: registration().email }),
]

async function allAreUnavailable(): Promise<void> {
  const since = performance.now()
  const answers = await Promise.all(requests())
  const ms = performance.now() - since
  for (const answer of answers) {
    assertProblem(answer, 503, 'database_unavailable')
    assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d?$/)
  }
  assert.ok(ms < 8000, `${Math.round(ms)} ms`)
}

async function allWork(): Promise<void> {
  ann = await signUp(service.client)
  for (const { status, body } of await Promise.all(requests())) assert.ok(status < 300, JSON.stringify(body))
}

it('answers 503 within two seconds while the database does not respond, and recovers', async () => {
  await allWork()
  network.silence()
  await allAreUnavailable()
  await allAreUnavailable()
  assert.equal((await service.client.get('/health')).status, 200)
  network.resume()
  await allWork()
})

it('answers 503 while the database refuses connections, and recovers', async () => {
  await network.cut()
  await allAreUnavailable()
  await allAreUnavailable()
  await network.listen()
  await allWork()
})

it('answers 503 to a request that waits too long for a connection, and continues to serve reads', async () => {
  await allWork()
  await db.query('begin')
  await db.query('select from accounts where id = $1 for update', [ann.id])
  const since = performance.now()
  const writes = Array.from({ length: 30 }, () => ann.api.put('/auth/profile', { phone: '2' }))
  let refused = 0
  for (const write of writes) write.then(() => refused++)
  for (let i = 0; i < 3; i++) assert.equal((await ann.api.get('/auth/me')).status, 200)
  assert.equal(refused, 0, 'the reads waited for the writes')
  for (const answer of await Promise.all(writes)) {
    assertProblem(answer, 503, 'database_unavailable')
    assert.ok(answer.headers.get('retry-after'))
  }
  // Two seconds are guaranteed; a busy test machine needs some more.
  assert.ok(performance.now() - since < 8000, `${performance.now() - since} ms`)
  await db.query('rollback')
  await allWork()
})

it('logs every outage, and none as an internal error', () => {
  const levels = service.logged.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request failed')
  assert.ok(levels.length > 20)
  assert.deepEqual(
    levels.filter(({ level }) => level >= 50),
    [],
  )
})
