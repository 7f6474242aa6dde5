import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import net, { type AddressInfo } from 'node:net'
import { delimiter, join } from 'node:path'
import { describe, it } from 'node:test'
import { Redis } from 'ioredis'
import { startTestApp, type TestApp, useTestApp } from '../../test/support/app.ts'
import { nothing, repeat, untilLogged } from '../../test/support/http.ts'

const ON = { RATE_LIMIT_ENABLED: 'true' }

const service = await useTestApp()

describe('several nodes', () => {
  const program = (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'redis-server'))
    .find(existsSync)

  it('count separately while Redis cannot be reached, and refuse no request because of it', async () => {
    const REDIS_URL = `redis://127.0.0.1:${await freePort()}`
    const app = await startTestApp({ ...ON, REDIS_URL }, service.db)
    try {
      assert.deepEqual(
        [...(await repeat(30, () => nothing(app))), ...(await repeat(2, () => nothing(app)))],
        [...Array(30).fill(404), 429, 429],
      )
    } finally {
      await app.close()
    }
  })

  it('name no time beyond the window after the clock was set back', async (t) => {
    const REDIS_URL = `redis://127.0.0.1:${await freePort()}`
    const app = await startTestApp({ ...ON, REDIS_URL }, service.db)
    try {
      await repeat(30, () => nothing(app))
      const { now } = Date
      t.mock.method(Date, 'now', () => now() - 3_600_000)
      const { status, headers } = await nothing(app)
      assert.equal(status, 429)
      assert.ok(Number(headers.get('retry-after')) <= 60, String(headers.get('retry-after')))
    } finally {
      await app.close()
    }
  })

  if (!program) console.error('redis-server is not on the PATH: only the fallback of shared limits is tested.')
  else {
    it('share their counts in Redis, and continue separately when it fails', async () => {
      const redis = await startRedis(program)
      const one = await startTestApp({ ...ON, REDIS_URL: redis.url }, service.db)
      const other = await startTestApp({ ...ON, REDIS_URL: redis.url }, service.db)
      const apps = [one, other]
      try {
        for (const app of apps) await untilCountedIn(redis.url, app)
        await redis.forget()
        const statuses = []
        for (let i = 0; i < 32; i++) statuses.push((await nothing(i % 2 ? one : other)).status)
        assert.deepEqual(statuses, [...Array(30).fill(404), 429, 429])

        await redis.stop()
        for (const app of apps) {
          const alone = await repeat(31, () => nothing(app))
          assert.deepEqual([...new Set(alone)].sort(), [404, 429])
          await untilLogged(app.logged, /redis failed; counting in this process/)
        }
      } finally {
        for (const app of apps) await app.close()
        await redis.stop()
      }
    })

    it('wait at most a second for a Redis that does not answer', async () => {
      const redis = await startRedis(program)
      const app = await startTestApp({ ...ON, REDIS_URL: redis.url }, service.db)
      try {
        await untilCountedIn(redis.url, app)
        redis.freeze()
        const started = performance.now()
        assert.equal((await nothing(app)).status, 404)
        assert.ok(performance.now() - started < 10_000)
      } finally {
        await app.close()
        await redis.stop()
      }
    })
  }
})

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function startRedis(program: string) {
  const port = await freePort()
  const child = spawn(program, ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--daemonize', 'no'])
  const exited = once(child, 'exit')
  for await (const text of child.stdout) if (String(text).includes('Ready to accept')) break
  const url = `redis://127.0.0.1:${port}`
  return {
    url,
    forget: () => inRedis(url, (redis) => redis.flushall()),
    freeze: () => child.kill('SIGSTOP'),
    async stop() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

async function inRedis<Result>(url: string, work: (redis: Redis) => Promise<Result>): Promise<Result> {
  const redis = new Redis(url)
  try {
    return await work(redis)
  } finally {
    redis.disconnect()
  }
}

/** Waits until the node counts in Redis: it counts separately until its connection is open. */
async function untilCountedIn(url: string, app: TestApp): Promise<void> {
  const countOf = () => inRedis(url, (redis) => redis.dbsize())
  await inRedis(url, (redis) => redis.flushall())
  while ((await countOf()) === 0) await nothing(app)
}
