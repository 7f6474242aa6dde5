import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { useTestApp } from '../../test/support/app.ts'
import { connect, type RawHeaders, rawRequest } from '../../test/support/http.ts'
import { assertProblem, type Person, registration, signUp } from '../../test/support/people.ts'
import { type ServiceProcess, startProcess } from '../../test/support/processes.ts'
import { until } from '../../test/support/until.ts'

const service = await useTestApp()

async function start(t: TestContext, settings: Record<string, string> = {}): Promise<ServiceProcess> {
  const node = await startProcess(service, { settings })
  t.after(() => node.close())
  return node
}

const KEPT: RawHeaders = { connection: 'keep-alive' }

/** A connection that has served a request, and everything that it receives from then on. */
async function openKept(address: string) {
  const socket = connect(address).on('error', () => {})
  socket.write(rawRequest('GET /api/health', KEPT))
  await once(socket, 'data')
  return { socket, received: receivedBy(socket) }
}

/** All that a connection receives until its end. */
async function receivedBy(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => {})
  await new Promise((resolve) => socket.once('close', resolve))
  return Buffer.concat(chunks).toString()
}

async function assertRefusesConnections({ address }: ServiceProcess): Promise<void> {
  await until(async () => {
    const socket = connect(address).on('error', () => {})
    const isRefused = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(false)).once('close', () => resolve(true))
    })
    socket.destroy()
    return isRefused
  })
}

function changeOfPhone(ann: Person, phone: string): Buffer {
  const body = JSON.stringify({ phone })
  const headers = {
    ...KEPT,
    authorization: `Bearer ${ann.accessToken}`,
    'content-type': 'application/json',
    'content-length': body.length,
  }
  return rawRequest('PUT /api/auth/profile', headers, body)
}

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  describe(`a service that gets ${signal}`, () => {
    it('answers writes under way, says that it closes, cuts what is half sent, and exits with 0', async (t) => {
      const node = await start(t)
      const people = await Promise.all(Array.from({ length: 6 }, () => signUp(node.client)))
      const writers = await Promise.all(people.map(() => openKept(node.address)))
      const idle = await openKept(node.address)
      const [silent, halfHead, halfBody] = [
        '',
        'GET /api/heal',
        changeOfPhone(people[0] as Person, '0').subarray(0, -3),
      ].map((text) => {
        const socket = connect(node.address)
        socket.write(text)
        return receivedBy(socket)
      })

      await service.db.query('begin')
      await service.db.query('select from accounts where id = any($1) for update', [people.map(({ id }) => id)])
      writers.forEach(({ socket }, index) => {
        socket.write(changeOfPhone(people[index] as Person, String(index)))
      })
      await service.db.waitForLock()
      node.signal(signal)
      await assertRefusesConnections(node)
      await service.db.query('rollback')

      for (const { received } of writers)
        assert.match(await received, /^HTTP\/1\.1 200 OK\r\n(.*\r\n)*connection: close\r\n/i)
      assert.deepEqual(await Promise.all([idle.received, silent, halfHead, halfBody]), ['', '', '', ''])
      assert.equal(await node.ended, 0)
      const phones = await service.db.query('select phone from accounts where id = any($1) order by phone', [
        people.map(({ id }) => id),
      ])
      assert.deepEqual(
        phones.map(({ phone }) => phone),
        ['0', '1', '2', '3', '4', '5'],
      )
    })
  })
}

describe('a service that stops', () => {
  it('answers each request of busy connections, and says with the last one that it closes', async (t) => {
    const node = await start(t)
    const busy = Array.from({ length: 8 }, () => keepBusy(node.address))
    await until(() => busy.every(({ responses }) => responses.length > 5))
    node.signal('SIGTERM')
    for (const { socket, responses, sent } of busy) {
      if (!socket.closed) await once(socket, 'close')
      assert.equal(responses.length, sent.count)
      assert.deepEqual([...new Set(responses.slice(0, -1))], ['keep-alive'])
      assert.equal(responses.at(-1), 'close')
    }
    assert.equal(await node.ended, 0)
  })

  it('answers what the system has accepted for it, however much that is', async (t) => {
    const node = await start(t)
    node.signal('SIGSTOP')
    const waiting = await Promise.all(
      Array.from({ length: 200 }, async () => {
        const socket = connect(node.address)
        await once(socket, 'connect')
        socket.write(rawRequest('GET /api/health', KEPT))
        return { received: receivedBy(socket) }
      }),
    )
    node.signal('SIGTERM')
    node.signal('SIGCONT')
    for (const { received } of waiting) assert.match(await received, /^HTTP\/1\.1 200 OK\r\n/)
    assert.equal(await node.ended, 0)
  })

  it('serves everything for SHUTDOWN_DRAIN_SECONDS except its readiness, until a second signal ends that', async (t) => {
    const node = await start(t, { SHUTDOWN_DRAIN_SECONDS: '300' })
    assert.equal((await node.client.get('/health/ready')).status, 200)
    node.signal('SIGTERM')
    await until(() => node.printed.some((line) => line.includes('"stopping"')))
    const refused = await node.client.get('/health/ready')
    assertProblem(refused, 503, 'service_stopping')
    assert.equal(refused.headers.get('retry-after'), '5')
    assert.equal((await node.client.get('/health')).headers.get('connection'), 'keep-alive')
    await signUp(node.client, registration())

    // The same signal twice within a second counts once, because npm forwards those of a terminal.
    await until(() => {
      node.signal('SIGTERM')
      return node.printed.some((line) => line.includes('"stopped"'))
    })
    assert.equal(await node.ended, 0)
  })
})

/** Sends one request after the other on one connection, until the service says that it closes. */
function keepBusy(address: string) {
  const socket = connect(address).on('error', () => {})
  const responses: string[] = []
  const sent = { count: 0 }
  const send = () => {
    sent.count++
    socket.write(rawRequest('GET /api/health', KEPT))
  }
  socket.on('data', (chunk) => {
    responses.push(/^connection: (.*)\r$/im.exec(String(chunk))?.[1] ?? '')
    if (responses.at(-1) === 'keep-alive') send()
  })
  send()
  return { socket, responses, sent }
}
