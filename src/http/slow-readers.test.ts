import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { useTestApp } from '../../test/support/app.ts'
import { connect, exchange, rawRequest } from '../../test/support/http.ts'
import { startProcess } from '../../test/support/processes.ts'
import { readConfig } from '../config/config.ts'
import { createLog } from '../process/log.ts'
import { unlimited } from './limits/limits.ts'
import { createServer } from './server.ts'

const service = await useTestApp({}, { servesDocumentation: true })

const asked = (target: string, times: number) =>
  Buffer.concat(Array.from({ length: times }, () => rawRequest(`GET ${target}`, { connection: 'keep-alive' })))

/** Sends requests and reads no answer. */
function dialStalled(address: string, request: Buffer): Socket {
  const socket = connect(address).on('error', () => {})
  socket.write(request)
  return socket
}

async function assertReached(address: string): Promise<void> {
  for (let i = 0; i < 20; i++) {
    const [answer] = await exchange(address, rawRequest('GET /api/health/ready'))
    assert.equal(answer?.status, 200)
  }
}

describe('clients that do not read their answers', () => {
  for (const [target, times] of [
    ['/', 1000],
    ['/api/docs/json', 15],
  ] as const) {
    it(`do not block others, with 700 of them that request ${target} ${times} times`, async () => {
      const small = await startProcess(service, { openFilesMax: 500 })
      const stalled: Socket[] = []
      try {
        for (let i = 0; i < 700; i++) {
          const socket = dialStalled(small.address, asked(target, times))
          stalled.push(socket)
          await once(socket, 'connect')
        }
        await assertReached(small.address)
      } finally {
        for (const socket of stalled) socket.destroy()
        await small.close()
      }
    })
  }

  it('lose their download to new clients after a while, while downloads that are read continue', async () => {
    const config = readConfig({ NODE_ENV: 'test', APP_SECRET: 'k2h9-3jfq-8vz1-m4xw-7tbn-5rcd-0pgs' })
    const parts = { config, log: createLog('silent'), limits: unlimited, onRefused: async () => {}, connectionsMax: 8 }
    const app = await createServer(parts)
    app.get('/endless', async (_, reply) => reply.send(Readable.from(endless(), { highWaterMark: 1 })))
    app.get('/short', async () => ({}))
    await app.listen({ host: '127.0.0.1', port: 0 })
    const address = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
    const downloads = Array.from({ length: 8 }, () => dialStalled(address, rawRequest('GET /endless')))
    const [read, ...stalled] = downloads as [Socket, ...Socket[]]
    try {
      // The first bytes have arrived, so every download has started.
      await Promise.all(downloads.map((socket) => once(socket, 'readable')))
      const reading = readSlowly(read)
      assert.deepEqual(await exchange(address, rawRequest('GET /short')), [])
      while ((await exchange(address, rawRequest('GET /short'))).length === 0) await pause(500)
      stalled.forEach((socket) => void socket.resume())
      await Promise.race(stalled.map((socket) => once(socket, 'close')))
      assert.equal(read.closed, false)
      read.destroy()
      await reading
    } finally {
      for (const socket of downloads) socket.destroy()
      await app.close()
    }
  })
})

function* endless(): Generator<string> {
  for (;;) yield 'x'.repeat(65_536)
}

async function readSlowly(socket: Socket): Promise<void> {
  while (!socket.destroyed) {
    socket.read()
    await pause(20)
  }
}

describe('a client that pipelines requests', () => {
  it('gets 16 answers, the last one closes the connection, and no further request is executed', async () => {
    const answers = await exchange(service.address, asked('/api/health', 100))
    assert.deepEqual(
      answers.map(({ status, headers }) => [status, headers.get('connection')]),
      [...Array.from({ length: 15 }, () => [200, 'keep-alive']), [200, 'close']],
    )
    const start = service.logged.length
    await exchange(service.address, asked('/api/nothing', 100))
    assert.equal(service.logged.slice(start).filter((line) => JSON.parse(line).msg === 'request completed').length, 16)
  })

  it('may send any number of requests one after the other', async () => {
    const socket = connect(service.address)
    for (let i = 0; i < 50; i++) {
      socket.write(asked('/api/health', 1))
      const [answer] = await once(socket, 'data')
      assert.match(String(answer), /^HTTP\/1\.1 200 [\s\S]*connection: keep-alive/i)
    }
    socket.destroy()
  })

  it('is disconnected when it sends far more at once', async () => {
    const answers = await exchange(service.address, asked('/api/health', 1000))
    assert.ok(answers.length <= 16, String(answers.length))
  })
})
