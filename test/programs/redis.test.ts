import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'
import { newId } from '../../src/lib/ids.ts'
import { signToken } from '../../src/lib/tokens.ts'
import { freePort } from '../faults/free-port.ts'
import { startFaultProxy } from '../faults/proxy.ts'
import { startTestApp, type TestApp, useTestApp } from '../support/app.ts'
import type { Answer } from '../support/client.ts'
import { freshAddress, from, limitsIn, nothing, repeat, servedOf } from '../support/http.ts'
import { startRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'

const ON = { RATE_LIMIT_ENABLED: 'true', TRUST_PROXY: 'loopback' }
/** Longer than any pause of a busy machine: only what is away lets a node count without it. */
const PATIENT = { redisTimeoutMs: 5000, databaseTimeoutMs: 5000 }
const AWAY = 'Redis does not count requests; counting without'
const BACK = 'Redis counts requests again'

const service = await useTestApp()
const redis = await startRedis()
const [one, other] = await Promise.all([startNode(PATIENT), startNode(PATIENT)])
after(async () => {
  redis.resume()
  for (const node of [one, other]) await node.close()
  await redis.close()
})

function startNode(options: Partial<typeof PATIENT> = {}, url = redis.url): Promise<TestApp> {
  return startTestApp({ ...ON, REDIS_URL: url }, service.db, options)
}

const countOf = (node: TestApp, message: string) =>
  node.logged.filter((line) => JSON.parse(line).msg === message).length

/** Sends requests to both nodes in turn, and returns their statuses. */
async function inTurns(times: number, send: (node: TestApp) => Promise<Answer>): Promise<number[]> {
  const statuses = []
  for (let i = 0; i < times; i++) statuses.push((await send(i % 2 ? one : other)).status)
  return statuses
}

describe('nodes with one Redis', () => {
  beforeEach(() => redis.forget())

  it('share the counts of all limits', async () => {
    const me = from(freshAddress())
    assert.deepEqual(await inTurns(6, ({ client }) => client.post('/auth/login', {}, me)), [...Array(5).fill(400), 429])
    assert.deepEqual(await inTurns(25, (node) => nothing(node, me)), [...Array(24).fill(404), 429])
    const { headers } = await one.client.post('/auth/login', {}, me)
    const { general, login } = limitsIn(headers.get('ratelimit'))
    assert.deepEqual([general?.r, login?.r], [0, 0])
    for (const limit of [general, login]) assert.ok((limit?.t ?? 0) >= 1 && (limit?.t ?? 0) <= 60)
  })

  it('share the counts of accounts, and leave the address what an account exceeds', async () => {
    const node = await startTestApp(
      { ...ON, REDIS_URL: redis.url, RATE_LIMIT_SIGNED_IN_PER_MINUTE: '2' },
      service.db,
      PATIENT,
    )
    try {
      const exp = Math.floor(Date.now() / 1000) + 900
      const claims = { sub: newId(), sid: newId(), jti: newId(), iat: exp - 900, exp }
      const me = { ...from(freshAddress()), token: signToken(node.keys, 'at+jwt', claims) }
      const answers = [await nothing(node, me), await nothing(node, me), await nothing(node, me)]
      const states = answers.map(({ status, headers }) => {
        const { account, address } = limitsIn(headers.get('ratelimit'))
        return [status, account?.r, address?.r]
      })
      assert.deepEqual(states, [
        [404, 1, 39],
        [404, 0, 38],
        [429, 0, 38],
      ])
    } finally {
      await node.close()
    }
  })

  it('keep to the limits when many requests come at once', async () => {
    const me = from(freshAddress())
    const logIn = (index: number) => (index % 2 ? one : other).client.post('/auth/login', {}, me)
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => logIn(index)))
    assert.equal(servedOf(answers.map(({ status }) => status)), 5)
  })
})

describe('while Redis is away', () => {
  it('a node counts by itself, refuses nothing because of it, and says so once at each end', async () => {
    await redis.kill()
    const me = from(freshAddress())
    assert.deepEqual(await repeat(32, () => nothing(one, me)), [...Array(30).fill(404), 429, 429])
    await nothing(other)
    assert.deepEqual([countOf(one, AWAY), countOf(one, BACK)], [1, 0])
    await redis.restart()
    await until(() => [one, other].every((node) => countOf(node, BACK) === 1))
    assert.equal(countOf(one, AWAY), 1)
    const again = from(freshAddress())
    assert.deepEqual(await inTurns(31, (node) => nothing(node, again)), [...Array(30).fill(404), 429])
  })

  it('several nodes keep to the limits of sign-in together, by the database', async () => {
    await redis.kill()
    await Promise.all([nothing(one), nothing(other)])
    const me = from(freshAddress())
    const logIn = (index: number) => (index % 2 ? one : other).client.post('/auth/login', {}, me)
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => logIn(index)))
    assert.equal(servedOf(answers.map(({ status }) => status)), 5)
    const { headers } = await one.client.post('/auth/login', {}, me)
    assert.equal(limitsIn(headers.get('ratelimit')).login?.r, 0)
    const rows = await service.db.query<{ limit_name: string; count: number }>(
      'select limit_name, count from request_counts where network = $1',
      [me.headers?.['x-forwarded-for']],
    )
    assert.equal(rows.length, 1)
    // Each node refuses by itself what exceeds the limit there.
    assert.ok(rows[0]?.limit_name === 'login' && rows[0].count > 5 && rows[0].count <= 10, JSON.stringify(rows))

    await service.db.query(`update request_counts set ends_at = now() - interval '1 second'`)
    assert.equal((await startedAnew(me)).status, 400)
    await redis.restart()
    await until(() => [one, other].every((node) => countOf(node, BACK) === countOf(node, AWAY)))
  })

  /** A third node, which has refused nothing yet. */
  async function startedAnew(me: ReturnType<typeof from>): Promise<Answer> {
    const third = await startNode(PATIENT)
    try {
      return await third.client.post('/auth/login', {}, me)
    } finally {
      await third.close()
    }
  }

  it('a node counts by itself although the database does not count either', async () => {
    await redis.kill()
    await service.db.query('alter table request_counts rename to request_counts_away')
    try {
      const me = from(freshAddress())
      assert.deepEqual(await repeat(6, () => one.client.post('/auth/login', {}, me)), [...Array(5).fill(400), 429])
    } finally {
      await service.db.query('alter table request_counts_away rename to request_counts')
    }
    await redis.restart()
    await until(() => [one, other].every((node) => countOf(node, BACK) === countOf(node, AWAY)))
  })
})

describe('a Redis that refuses to write', () => {
  const scriptsRun = async () => {
    const [, calls = '0'] = /cmdstat_evalsha:calls=(\d+)/.exec(String(await redis.command('info commandstats'))) ?? []
    return Number(calls)
  }

  for (const [reason, refuse, serve] of [
    ['as a replica', 'replicaof 127.0.0.1 1', 'replicaof no one'],
    ['without memory', 'config set maxmemory 1', 'config set maxmemory 0'],
  ] as const)
    it(`is away until it does: ${reason}`, async () => {
      const node = await startNode(PATIENT)
      try {
        await nothing(node, from(freshAddress()))
        await redis.command(refuse)
        const before = await scriptsRun()
        assert.equal((await nothing(node, from(freshAddress()))).status, 404)
        await until(async () => countOf(node, BACK) > 0 || (await scriptsRun()) >= before + 2)
        assert.deepEqual([countOf(node, AWAY), countOf(node, BACK)], [1, 0])
        await redis.command(serve)
        await until(() => countOf(node, BACK) === 1)
        assert.equal(countOf(node, AWAY), 1)
      } finally {
        await redis.command(serve)
        await node.close()
      }
    })
})

describe('a Redis that hangs', () => {
  it('delays requests once and not each of them, and is used again when it goes on', async () => {
    const node = await startNode()
    try {
      await nothing(node, from(freshAddress()))
      redis.freeze()
      const me = from(freshAddress())
      assert.deepEqual(await repeat(32, () => nothing(node, me)), [...Array(30).fill(404), 429, 429])
      const [away = ''] = node.logged.filter((line) => JSON.parse(line).msg === AWAY)
      assert.match(away, /No answer within 100 ms/)
      redis.resume()
      await until(() => countOf(node, BACK) === 1)
      assert.equal(countOf(node, AWAY), 1)
    } finally {
      redis.resume()
      await node.close()
    }
  })

  it('is not waited for when it is only slow', async () => {
    const network = await startFaultProxy(() => redis.port)
    const node = await startNode({}, `redis://127.0.0.1:${network.port}`)
    try {
      await nothing(node, from(freshAddress()))
      network.delay(200)
      const me = from(freshAddress())
      assert.deepEqual(await repeat(32, () => nothing(node, me)), [...Array(30).fill(404), 429, 429])
      await until(() => countOf(node, AWAY) === 1)
      await network.restore()
      await until(() => countOf(node, BACK) === 1)
    } finally {
      await node.close()
      await network.close()
    }
  })

  it('stops no start', async () => {
    const nowhere = await startNode({}, `redis://127.0.0.1:${await freePort()}`)
    redis.freeze()
    const hanging = await startNode()
    try {
      for (const node of [nowhere, hanging]) {
        assert.equal((await nothing(node, from(freshAddress()))).status, 404)
        assert.equal(countOf(node, AWAY), 1)
      }
      assert.match(nowhere.logged.join(''), /ECONNREFUSED/)
    } finally {
      redis.resume()
      for (const node of [nowhere, hanging]) await node.close()
    }
  })
})
