import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import net from 'node:net'
import { Duplex } from 'node:stream'
import { after, describe, it } from 'node:test'
import { startTestApp, useTestApp } from '../../test/support/app.ts'
import { connect, exchange, from, rawRequest } from '../../test/support/http.ts'
import { assertProblem, signUp } from '../../test/support/people.ts'
import { startProcess } from '../../test/support/processes.ts'
import { readConfig } from '../config/config.ts'
import { createLog } from '../process/log.ts'
import { connectionsMaxFor } from './connections.ts'
import { unlimited } from './limits/limits.ts'
import { createServer } from './server.ts'

const service = await useTestApp()

it('answers during 700 idle connections with a limit of 500 open files', async () => {
  const small = await startProcess(service, { openFilesMax: 500 })
  const idle = Array.from({ length: 700 }, () => connect(small.address).on('error', () => {}))
  try {
    await Promise.all(idle.map((socket) => once(socket, 'connect')))
    for (let i = 0; i < 20; i++) {
      for (const target of ['/api/health/ready', '/dev/mail.json', '/.well-known/jwks.json']) {
        const [answer] = await exchange(small.address, rawRequest(`GET ${target}`))
        assert.equal(answer?.status, 200, target)
      }
    }
  } finally {
    for (const socket of idle) socket.destroy()
    await small.close()
  }
})

it('reserves open files for other purposes, and connections even with a low limit', () => {
  assert.deepEqual(
    [64, 256, 500, 1024, 1_048_576].map((files) => connectionsMaxFor(files)),
    [16, 156, 400, 924, 20_000],
  )
})

describe('connections of one network', () => {
  /** A server connection from a given address. */
  function connectionFrom(remoteAddress: string) {
    const written: string[] = []
    const write = (chunk: Buffer, _encoding: string, done: () => void) => {
      written.push(chunk.toString('latin1'))
      done()
    }
    const socket = Object.assign(new Duplex({ read() {}, write }), {
      remoteAddress,
      setKeepAlive() {},
      setNoDelay() {},
    })
    Object.assign(socket, { setTimeout: () => socket })
    return { socket, written }
  }

  const openServer = async (settings: Record<string, string> = {}) => {
    const config = readConfig({ NODE_ENV: 'test', APP_SECRET: 'k2h9-3jfq-8vz1-m4xw-7tbn-5rcd-0pgs', ...settings })
    const log = createLog('silent')
    return createServer({ config, log, limits: unlimited, onRefused: async () => {}, connectionsMax: 8 })
  }

  it('are limited to a quarter of all once half are in use, except for loopback and trusted proxies', async () => {
    const app = await openServer({ TRUST_PROXY: '192.0.2.0/24' })
    await app.ready()
    const open = (address: string) => {
      const connection = connectionFrom(address)
      app.server.emit('connection', connection.socket)
      return connection.socket
    }
    const flood = ['203.0.113.1', '203.0.113.2', '203.0.113.3', '::ffff:203.0.113.4'].map(open)
    assert.deepEqual(
      flood.map(({ destroyed }) => destroyed),
      [false, false, false, false],
    )
    const others = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '127.0.0.1', '2001:db8::1'].map(open)
    assert.deepEqual(
      flood.map(({ destroyed }) => destroyed),
      [true, true, false, false],
    )
    assert.deepEqual(
      others.map(({ destroyed }) => destroyed),
      [false, false, false, false, false],
    )
    const later = open('203.0.113.9')
    assert.deepEqual([flood[2]?.destroyed, later.destroyed], [true, false])
    for (const socket of [...flood, ...others, later]) socket.destroy()
    await app.close()
  })

  it('are closed for others while they send a body slowly', async () => {
    const app = await openServer()
    await app.ready()
    const slow = connectionFrom('203.0.113.1')
    app.server.emit('connection', slow.socket)
    slow.socket.push(rawRequest('POST /api/nothing', { 'content-length': 1000 }, '{'))
    for (let i = 0; i < 8; i++) app.server.emit('connection', connectionFrom(`198.51.${i}.1`).socket)
    assert.equal(slow.socket.destroyed, true)
    await app.close()
  })

  it('are not closed while a request is being answered', async () => {
    const app = await openServer()
    const { promise: answered, resolve: answer } = Promise.withResolvers<object>()
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
    app.get('/slow', async () => {
      ask()
      return answered
    })
    await app.ready()
    const busy = connectionFrom('203.0.113.1')
    app.server.emit('connection', busy.socket)
    busy.socket.push(rawRequest('GET /slow'))
    await asked
    for (let i = 0; i < 20; i++) app.server.emit('connection', connectionFrom(`198.51.${i}.1`).socket)
    assert.equal(busy.socket.destroyed, false)
    answer({ served: true })
    await once(busy.socket, 'finish')
    assert.match(busy.written.join(''), /^HTTP\/1\.1 200 OK/)
    busy.socket.destroy()
    await app.close()
  })
})

describe('a connection', () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  after(() => agent.destroy())

  /** The Connection header of an answer. */
  const told = async (target: string, headers: Record<string, string> = {}, to = service) => {
    const request = get(to.address + target, { agent, headers })
    const [response] = await once(request, 'response')
    response.resume()
    await once(response, 'end')
    return [response.statusCode, response.headers.connection]
  }

  it('is closed after 401, 403 and 429, and kept after other answers', async () => {
    const ann = await signUp(service.client)
    const asAnn = { authorization: `Bearer ${ann.accessToken}`, 'x-company-id': ann.id }
    assert.deepEqual(await told('/api/auth/me'), [401, 'close'])
    assert.deepEqual(await told('/api/companies/users', asAnn), [403, 'close'])
    assert.deepEqual(await told('/api/health'), [200, 'keep-alive'])
    assert.deepEqual(await told('/api/nothing'), [404, 'keep-alive'])
    assert.deepEqual(await told('/api/companies?page=0', asAnn), [400, 'keep-alive'])
    const limited = await startTestApp({ RATE_LIMIT_ENABLED: 'true', RATE_LIMIT_PER_MINUTE: '1' }, service.db)
    try {
      assert.deepEqual(await told('/api/nothing', {}, limited), [404, 'keep-alive'])
      assert.deepEqual(await told('/api/nothing', {}, limited), [429, 'close'])
      assert.deepEqual(await told('/api/%zz', {}, limited), [429, 'close'])
    } finally {
      await limited.close()
    }
  })

  it('of a trusted proxy is kept, because it serves many clients', async () => {
    const behind = await startTestApp({ TRUST_PROXY: 'loopback' }, service.db)
    try {
      assert.deepEqual(await told('/api/auth/me', {}, behind), [401, 'keep-alive'])
    } finally {
      await behind.close()
    }
  })

  it('delivers the refusal to a client that is still sending its body', async () => {
    const body = Buffer.alloc(90_000, ' ')
    const socket = net.connect({ host: '127.0.0.1', port: Number(new URL(service.address).port) })
    const head = rawRequest('PUT /api/auth/profile', {
      'content-type': 'application/json',
      'content-length': body.length,
      connection: 'keep-alive',
    })
    socket.write(head)
    const [answer] = await once(socket, 'data')
    assert.match(String(answer), /^HTTP\/1\.1 401 /)
    socket.write(body)
    socket.write(rawRequest('GET /api/health'))
    const [next] = await once(socket, 'data')
    assert.match(String(next), /^HTTP\/1\.1 200 /)
    socket.destroy()
    assertProblem(await service.client.put('/auth/profile', { name: 'x'.repeat(90_000) }), 401, 'token_missing')
    assertProblem(await service.client.get('/auth/me', from('203.0.113.1')), 401, 'token_missing')
  })
})
