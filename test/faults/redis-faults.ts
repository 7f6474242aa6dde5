import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type RedisServer, startRedis } from '../support/redis.ts'
import type { Fault, Outcome } from './fault.ts'
import { type FaultProxy, startFaultProxy } from './proxy.ts'
import { onStage, type Stage } from './stage.ts'

const FAULT_MS = 4000
const LOGINS_PER_MINUTE = 5
const GUESSER = '203.0.113.1'

/** What can happen to the Redis in which two nodes share their limits. */
export const redisFaults: Fault[] = [
  {
    name: 'Redis is killed and started again',
    short: true,
    healMsMax: 2000,
    run: () =>
      withRedis(async (redis) => {
        await redis.kill()
        return () => redis.restart()
      }),
  },
  {
    name: 'Redis hangs',
    short: true,
    healMsMax: 2000,
    run: () =>
      withRedis(async (redis) => {
        redis.freeze()
        return async () => redis.resume()
      }),
  },
  {
    name: 'Redis is slow',
    healMsMax: 2000,
    run: () =>
      withRedis(async (_, network) => {
        network.delay(300)
        return () => network.restore()
      }),
  },
  {
    name: 'the connections to Redis are dead without an end',
    healMsMax: 2000,
    run: () =>
      withRedis(async (_, network) => {
        network.halfOpen()
        return async () => {}
      }),
  },
]

/** Causes the fault, which returns how it ends. Meanwhile a guesser tries both nodes. */
async function withRedis(
  cause: (redis: RedisServer, network: FaultProxy) => Promise<() => Promise<void>>,
): Promise<Outcome> {
  const redis = await startRedis()
  const network = await startFaultProxy(() => redis.port)
  const settings = {
    REDIS_URL: `redis://127.0.0.1:${network.port}`,
    RATE_LIMIT_ENABLED: 'true',
    RATE_LIMIT_PER_MINUTE: '1000000',
    EMAILS_PER_HOUR: '0',
    TRUST_PROXY: 'loopback',
    APP_URL: 'https://app.example.com',
  }
  try {
    return await onStage(
      async (stage) => {
        const end = await cause(redis, network)
        // Both nodes notice it by a request; after that they count together in the database.
        await stage.traffic.more(20)
        await guess(stage)
        await pause(FAULT_MS)
        await end()
        return stage.traffic.healedSince(performance.now())
      },
      { nodes: 2, settings },
    )
  } finally {
    redis.resume()
    await network.close()
    await redis.close()
  }
}

/** Signs in too often from one address, at both nodes in turn. */
async function guess({ nodes, traffic }: Stage): Promise<void> {
  let served = 0
  for (let index = 0; index < 4 * LOGINS_PER_MINUTE; index++) {
    const answer = await fetch(`${nodes[index % nodes.length]?.address}/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': GUESSER },
      body: JSON.stringify({ email: `${randomUUID()}@example.com`, password: 'x' }),
    })
    await answer.arrayBuffer()
    if (answer.status !== 429) served++
  }
  if (served !== LOGINS_PER_MINUTE) traffic.journal.noteWrong(`${served} attempts to sign in were served in a minute`)
}
