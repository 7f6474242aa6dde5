import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { startTestApp, type TestApp } from '../../../test/support/app.ts'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { assertProblem, type Person, signUp } from '../../../test/support/people.ts'
import { type Network, startNetwork } from '../../../test/support/postgres.ts'

let db: TestDatabase
let network: Network
let service: TestApp
before(async () => {
  db = await createTestDatabase()
  network = await startNetwork(db)
  service = await startTestApp({}, { ...db, target: network.target })
})
after(async () => {
  await service.close()
  await network.close()
  await db.drop()
})

const refresh = ({ refreshToken }: Person) => service.client.post('/auth/refresh', { refreshToken })

/** The database has made the exchange, and no client was told. */
async function loseExchange(): Promise<Person> {
  const ann = await signUp(service.client)
  network.lose('UPDATE 1')
  assertProblem(await refresh(ann), 503, 'database_unavailable')
  return ann
}

/** Resolves when so many further requests have been read to their end. */
async function arrivalOf(count: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let arrived = 0
  const onRequest = (request: IncomingMessage) => request.once('end', () => ++arrived === count && resolve())
  service.app.server.on('request', onRequest)
  await promise
  service.app.server.off('request', onRequest)
}

async function assertRefused(ann: Person): Promise<void> {
  assertProblem(await refresh(ann), 401, 'refresh_token_invalid')
  assert.equal((await service.mailbox.to(ann.email, 'refresh_token_reused')).length, 1)
}

describe('an exchange of a refresh token whose answer the database could not deliver', () => {
  it('gives its pair to the next request with the token, once', async () => {
    const ann = await loseExchange()
    const again = await refresh(ann)
    assert.equal(again.status, 200, JSON.stringify(again.body))
    assert.deepEqual(await service.mailbox.to(ann.email, 'refresh_token_reused'), [])
    assert.equal((await service.client.get('/auth/me', { token: again.body.data.accessToken })).status, 200)
    await assertRefused(ann)
  })

  it('gives one pair to twenty requests at once', async () => {
    const ann = await loseExchange()
    // One that arrives after the first answer has left is refused, so none leaves before all have arrived.
    network.silence()
    const allArrived = arrivalOf(20)
    const answering = Array.from({ length: 20 }, () => refresh(ann))
    await allArrived
    network.resume()
    const answers = await Promise.all(answering)
    const pairs = new Set(answers.map(({ status, body }) => `${status} ${body.data?.refreshToken}`))
    assert.equal(pairs.size, 1)
    assert.match([...pairs].join(), /^200 /)
  })

  it('gives nothing when the password has changed or ten minutes have passed', async () => {
    const changes = [
      'update accounts set credentials_version = credentials_version + 1 where id = $1',
      `update sessions set rotated_at = rotated_at - interval '11 minutes' where account_id = $1`,
    ]
    for (const change of changes) {
      const ann = await loseExchange()
      await db.query(change, [ann.id])
      await assertRefused(ann)
    }
  })

  it('leaves a token that was not spent as it was', async () => {
    const ann = await signUp(service.client)
    await network.cut()
    assertProblem(await refresh(ann), 503, 'database_unavailable')
    await network.listen()
    assert.equal((await refresh(ann)).status, 200)
    await assertRefused(ann)
  })
})
