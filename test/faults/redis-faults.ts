import type { Fault } from './fault.ts'
import { type RedisServer, startRedis } from './redis-server.ts'
import { onStage, type Stage } from './stage.ts'

/** Acknowledged while Redis is away: requests wait for it shortly, and are served. */
const WRITES = 20

/** What can happen to the Redis in which nodes share their limits. */
export const redisFaults: Fault[] = [
  withRedis('Redis is killed with -9 and started again', async (redis, { traffic }) => {
    await redis.kill()
    await traffic.more(WRITES)
    await redis.start()
  }),
  withRedis(
    'Redis hangs',
    async (redis, { traffic }) => {
      redis.signal('SIGSTOP')
      await traffic.more(WRITES)
      redis.signal('SIGCONT')
    },
    { short: true },
  ),
]

function withRedis(
  name: string,
  cause: (redis: RedisServer, stage: Stage) => Promise<void>,
  more: Partial<Fault> = {},
): Fault {
  return {
    name,
    ...more,
    programs: ['redis-server'],
    healMsMax: 5000,
    async run() {
      const redis = await startRedis()
      const limits = { RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_PER_MINUTE: '1000000', EMAILS_PER_HOUR: '0' }
      const settings = { REDIS_URL: redis.url, TRUST_PROXY: 'loopback', ...limits }
      try {
        return await onStage(
          async (stage) => {
            await cause(redis, stage)
            return stage.traffic.healedSince(performance.now())
          },
          { nodes: 2, settings },
        )
      } finally {
        await redis.kill()
      }
    },
  }
}
