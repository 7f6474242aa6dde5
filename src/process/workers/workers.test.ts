import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import net, { type AddressInfo } from 'node:net'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { after, describe, it, type TestContext } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { ask, exchange, limitsIn, rawRequest, servedOf } from '../../../test/support/http.ts'
import { PASSWORD, signUp } from '../../../test/support/people.ts'
import { childrenOf, type ServiceProcess, startProcess } from '../../../test/support/processes.ts'
import { sampleOf } from '../../../test/support/running.ts'
import { until } from '../../../test/support/until.ts'

const WORKERS = 3
const service = await useTestApp()

async function start(t: TestContext, settings: Record<string, string> = {}): Promise<ServiceProcess> {
  const node = await startProcess(service, { settings: { WORKERS: String(WORKERS), ...settings } })
  t.after(() => node.close())
  return node
}

/** Each on a connection of its own, so that the processes take turns. */
const at = (node: ServiceProcess, times: number, line: string, body = '') =>
  Promise.all(
    Array.from({ length: times }, () =>
      ask(node.address, line, body ? { 'content-type': 'application/json' } : {}, body),
    ),
  )

const linesOf = (node: ServiceProcess) =>
  node.printed.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line))

describe('several processes', () => {
  it('serve requests in turn, and write whole lines to one log', async (t) => {
    const node = await start(t)
    assert.equal(node.children().length, WORKERS)
    const answers = await at(node, 30, 'GET /api/nothing')
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [404])
    await until(() => linesOf(node).filter(({ route, status }) => !route && status === 404).length === 30)
    const workers = new Set(linesOf(node).map(({ worker }) => worker))
    for (const id of [1, 2, 3]) assert.ok(workers.has(id), `worker ${id}`)
  })

  it('use the embedded PostgreSQL that the primary process runs', async (t) => {
    const node = await start(t, { DATABASE_URL: '' })
    const answers = await at(node, WORKERS, 'GET /api/health/ready')
    assert.deepEqual(
      answers.map(({ status }) => status),
      Array(WORKERS).fill(200),
    )
  })

  it('keep to the limits together', async (t) => {
    const node = await start(t, { RATE_LIMIT_ENABLED: 'true' })
    const logIns = await at(node, 20, 'POST /api/auth/login', '{}')
    assert.equal(servedOf(logIns.map(({ status }) => status)), 5)
    const others = await at(node, 15, 'GET /api/nothing')
    assert.equal(servedOf(others.map(({ status }) => status)), 10)
    const [last] = await at(node, 1, 'GET /api/nothing')
    assert.equal(limitsIn(last?.headers.get('ratelimit')).general?.r, 0)
  })

  it('give no two pairs of tokens to requests that exchange a refresh token at once, and take none for theft', async (t) => {
    const node = await start(t)
    const { id, refreshToken } = await signUp(node.client)
    const answers = await at(node, 9, 'POST /api/auth/refresh', JSON.stringify({ refreshToken }))
    const given = answers.filter(({ status }) => status === 200)
    assert.ok(given.length > 0)
    assert.equal(new Set(given.map(({ body }) => JSON.parse(body).data.refreshToken)).size, 1)
    // One that came a moment after the answer of another process is refused as an accident.
    for (const { status } of answers) assert.ok([200, 401].includes(status), String(status))
    const sessions = await service.db.query('select revoked_at from sessions where account_id = $1', [id])
    assert.deepEqual(sessions, [{ revoked_at: null }])
  })
})

describe('metrics of several processes', () => {
  it('are served by the primary process, added up', async (t) => {
    const node = await start(t, { METRICS_PORT: '0' })
    const scrape = async () => {
      const line = linesOf(node).find(({ msg }) => msg === 'metrics are served')
      return line ? (await fetch(line.address)).text() : ''
    }
    await until(async () => sampleOf(await scrape(), 'tenantry_processes') === WORKERS)
    const login = `tenantry_http_request_duration_seconds_count{method="POST",route="/api/auth/login",status="400"}`
    await at(node, 9, 'POST /api/auth/login', '{}')
    const text = await scrape()
    assert.equal(sampleOf(text, login), 9)
    assert.equal(sampleOf(text, 'tenantry_database_up'), 1)
    assert.equal(linesOf(node).filter(({ msg }) => msg === 'metrics are served').length, 1)
    process.kill(node.children()[0] as number, 'SIGKILL')
    await until(async () => sampleOf(await scrape(), 'tenantry_processes') === WORKERS - 1)
    await until(async () => sampleOf(await scrape(), 'tenantry_processes') === WORKERS)
  })
})

describe('a process that dies', () => {
  it('is started again while the others serve, and what was counted still counts', async (t) => {
    const node = await start(t, { RATE_LIMIT_ENABLED: 'true' })
    const [victim, ...others] = node.children()
    await at(node, 10, 'GET /api/nothing')
    process.kill(victim as number, 'SIGKILL')
    await until(() => node.children().length === WORKERS && !node.children().includes(victim as number))
    for (const other of others) assert.ok(node.children().includes(other))
    await until(() => node.printed.some((line) => line.includes('a worker process has ended and is started again')))
    const [answer] = await at(node, 1, 'GET /api/nothing')
    assert.equal(limitsIn(answer?.headers.get('ratelimit')).general?.r, 19)
  })

  it('leaves no connection unanswered that it had been handed and had not taken', async (t) => {
    const node = await start(t)
    const [victim, ...others] = node.children() as number[]
    process.kill(victim as number, 'SIGSTOP')
    const answers = at(node, 3 * WORKERS, 'GET /api/nothing')
    const answered = () => linesOf(node).filter(({ status }) => status === 404).length
    await until(() => answered() === 3 * WORKERS - 1)
    process.kill(victim as number, 'SIGKILL')
    await until(() => answered() === 3 * WORKERS)
    assert.deepEqual(
      (await answers).map(({ status }) => status),
      Array(3 * WORKERS).fill(404),
    )
    for (const other of others) assert.ok(node.children().includes(other))
  })
})

it('a process that dies while others still start is started again', async (t) => {
  let victim: number | undefined
  let listening = 0
  const onLine = (line: string, pid: number) => {
    // The others start once the primary process knows of the first one, so at the second line that has started for sure.
    if (!line.includes('Server listening') || ++listening !== 2) return
    victim = childrenOf(pid)[0] as number
    process.kill(victim, 'SIGKILL')
  }
  const node = await startProcess(service, { settings: { WORKERS: String(WORKERS) }, onLine })
  t.after(() => node.close())
  await until(() => linesOf(node).filter(({ msg }) => msg.startsWith('Server listening')).length > WORKERS)
  await until(() => node.children().length === WORKERS && !node.children().includes(victim as number))
  await until(() => linesOf(node).some(({ msg }) => msg === 'a worker process has ended and is started again'))
})

it('closes a connection that the last process was handed and had not taken when it died', async (t) => {
  const node = await start(t)
  const openFiles = () => readdirSync(`/proc/${node.pid}/fd`).length
  const before = openFiles()
  const victims = node.children() as number[]
  for (const victim of victims) process.kill(victim, 'SIGSTOP')
  let closed = 0
  for (let index = 0; index < 2 * WORKERS; index++)
    void exchange(node.address, rawRequest('GET /api/nothing')).then(() => closed++)
  // The primary process has accepted them all, and so handed one to each.
  await until(() => openFiles() === before + 2 * WORKERS)
  for (const victim of victims) process.kill(victim, 'SIGKILL')
  await until(() => closed === 2 * WORKERS)
})

describe('the primary process', () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`stops all others on ${signal}, after they have answered what is under way`, async (t) => {
      const node = await start(t)
      const ann = await signUp(node.client)
      const children = node.children()
      await service.db.query('begin')
      await service.db.query('select from accounts where id = $1 for update', [ann.id])
      const writes = Array.from({ length: 3 }, (_, index) => {
        const body = JSON.stringify({ phone: String(index) })
        const headers = {
          authorization: `Bearer ${ann.accessToken}`,
          'content-type': 'application/json',
          'content-length': body.length,
        }
        return exchange(node.address, rawRequest('PUT /api/auth/profile', headers, body))
      })
      await service.db.waitForLock()
      node.signal(signal)
      await until(() => node.printed.filter((line) => line.includes('"stopping"')).length === WORKERS + 1)
      await service.db.query('rollback')
      assert.deepEqual(
        (await Promise.all(writes)).map(([answer]) => answer?.status),
        [200, 200, 200],
      )
      assert.equal(await node.ended, 0)
      for (const pid of children) assert.equal(existsSync(`/proc/${pid}`), false)
    })
  }

  it('takes all others with it when it is killed', async (t) => {
    const node = await start(t)
    const children = node.children()
    node.signal('SIGKILL')
    await node.ended
    await until(() => !children.some((pid) => existsSync(`/proc/${pid}`)))
  })

  it('ends with one message when they can’t start', async () => {
    const taken = net.createServer().listen(0, '127.0.0.1')
    after(() => taken.close())
    await new Promise((resolve) => taken.once('listening', resolve))
    const { host, port, database } = service.db.target as { host: string; port: number; database: string }
    const child = spawn(process.execPath, ['src/main.ts'], {
      cwd: path.join(import.meta.dirname, '..', '..', '..'),
      env: {
        PATH: process.env.PATH,
        NODE_ENV: 'test',
        WORKERS: String(WORKERS),
        PORT: String((taken.address() as AddressInfo).port),
        APP_SECRET: 'a-secret-that-no-test-asks-for-01',
        DATABASE_URL: `postgres://tenantry@localhost:${port}/${database}?host=${encodeURIComponent(host)}`,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const ended = new Promise((resolve) => child.once('exit', resolve))
    assert.match(await text(child.stderr), /^[^\n]*EADDRINUSE[^\n]*\n$/)
    assert.equal(await ended, 1)
  })

  it('lets people sign in at each of them, with the password of the other', async (t) => {
    const node = await start(t)
    const ann = await signUp(node.client)
    const body = JSON.stringify({ email: ann.email, password: PASSWORD })
    const answers = await at(node, WORKERS, 'POST /api/auth/login', body)
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    )
  })
})
