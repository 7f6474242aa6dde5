import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { describe, it } from 'node:test'
import { z } from 'zod'
import { useTestApp } from '../../test/support/app.ts'
import {
  ask as askFor,
  assertRefusal,
  connect,
  exchange,
  type RawAnswer,
  type RawHeaders,
  rawRequest,
  startSmallApp,
} from '../../test/support/http.ts'
import { signUp } from '../../test/support/people.ts'

const service = await useTestApp()
const ann = await signUp(service.client)

const JSON_TYPE = { 'content-type': 'application/json' }
const ask = (line: string, headers?: RawHeaders, body?: string | Buffer) => askFor(service.address, line, headers, body)

describe('a path', () => {
  for (const path of [
    '/api',
    '/api/',
    '/api/nothing',
    '/api/auth',
    '/api/auth/login/x',
    '/%61pi/x',
    '/api/%2e%2e/x',
    '/dev/mail',
  ]) {
    it(`that is unknown is 404 route_not_found: ${path}`, async () => {
      assertRefusal(await ask(`GET ${path}`), 404, 'route_not_found')
    })
  }

  for (const method of ['GET', 'PUT', 'DELETE', 'TRACE', 'QUERY', 'PROPFIND', 'LINK']) {
    it(`is unknown to another method: ${method}`, async () => {
      assertRefusal(await ask(`${method} /api/auth/login`), 404, 'route_not_found')
    })
  }

  it('that is unknown is 404 for any token, header and body', async () => {
    const bodies: [Record<string, string>, string][] = [
      [JSON_TYPE, '{torn'],
      [JSON_TYPE, ' '.repeat(200_000)],
      [{ 'content-type': 'text/plain' }, 'x'],
      [{}, 'x'],
    ]
    for (const [headers, body] of bodies) {
      assertRefusal(await ask('POST /api/nothing', headers, body), 404, 'route_not_found')
    }
  })

  for (const path of ['/api/%zz', '/api/auth/sessions/%', '/api/%c0%80', '/%']) {
    it(`that cannot be decoded is 400 malformed_request: ${path}`, async () => {
      assertRefusal(await ask(`GET ${path}`), 400, 'malformed_request')
    })
  }

  it('may be as long as the headers; long ids are refused as malformed', async () => {
    assertRefusal(await ask(`GET /api/${'x'.repeat(15_000)}`), 404, 'route_not_found')
    const session = `DELETE /api/auth/sessions/${'x'.repeat(15_000)}`
    assertRefusal(await ask(session), 401, 'token_missing')
    assertRefusal(await ask(session, { authorization: `Bearer ${ann.accessToken}` }), 400, 'validation_failed')
    for (const id of ['%00', '%2f', '{01a1fae7-08dc-70b1-8740-a47531448352}', 'a%0d%0ab', '%F0%9F%98%80', '%25zz']) {
      const answer = await ask(`DELETE /api/auth/sessions/${id}`, { authorization: `Bearer ${ann.accessToken}` })
      assertRefusal(answer, 400, 'validation_failed')
    }
  })

  it('answers HEAD like GET without the body', async () => {
    const authorization = `Bearer ${ann.accessToken}`
    const [got, head] = [
      await ask('GET /api/auth/me', { authorization }),
      await headOf('/api/auth/me', { authorization }),
    ]
    assert.equal(head.status, 200)
    assert.equal(head.length, got.headers.get('content-length'))
    assert.equal((await headOf('/api/auth/me', {})).status, 401)
    assert.equal((await headOf('/api/auth/login', {})).status, 404)
  })
})

async function headOf(path: string, headers: Record<string, string>) {
  const response = await fetch(service.address + path, { method: 'HEAD', headers })
  assert.equal(await response.text(), '')
  return { status: response.status, length: response.headers.get('content-length') }
}

describe('a malformed request', () => {
  const host = 'Host: localhost\r\n'
  const post = `POST /api/auth/login HTTP/1.1\r\n${host}Content-Type: application/json\r\n`
  const unreadable: Record<string, string> = {
    'a line of garbage': 'garbage\r\n\r\n',
    'a greeting for TLS': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    'an unknown method': `FETCH /api/health HTTP/1.1\r\n${host}\r\n`,
    'an unknown version': `GET /api/health HTTP/9.9\r\n${host}\r\n`,
    'HTTP/2 without an upgrade': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'no Host': 'GET /api/health HTTP/1.1\r\nConnection: close\r\n\r\n',
    'a Content-Length that is no number': `${post}Content-Length: abc\r\n\r\n{}`,
    'a negative Content-Length': `${post}Content-Length: -1\r\n\r\n{}`,
    'a Content-Length with a sign': `${post}Content-Length: +2\r\n\r\n{}`,
    'two lengths': `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
    'a length as well as chunks': `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    'an unknown transfer coding': `${post}Transfer-Encoding: chunked, cow\r\n\r\n0\r\n\r\n`,
    'a chunk without a length': `${post}Transfer-Encoding: chunked\r\n\r\nx\r\n{}\r\n0\r\n\r\n`,
    'a space before a colon': `GET /api/health HTTP/1.1\r\n${host}X-A : 1\r\n\r\n`,
    'a folded header': `GET /api/health HTTP/1.1\r\n${host}X-A: 1\r\n b\r\n\r\n`,
    'NUL in a header': `GET /api/health HTTP/1.1\r\n${host}X-A: a\0b\r\n\r\n`,
    'a line ended by LF in a header': `GET /api/health HTTP/1.1\r\n${host}X-A: a\nX-B: c\r\n\r\n`,
  }
  for (const [name, bytes] of Object.entries(unreadable)) {
    it(`is 400 malformed_request, and the connection is closed: ${name}`, async () => {
      const [answer, ...more] = await exchange(service.address, bytes)
      assertRefusal(answer as RawAnswer, 400, 'malformed_request')
      assert.equal(answer?.headers.get('connection'), 'close')
      assert.equal(more.length, 0)
    })
  }

  it('is 431 with headers beyond 16 KiB', async () => {
    for (const size of [17_000, 1_000_000]) {
      const [answer] = await exchange(
        service.address,
        `GET /api/health HTTP/1.1\r\n${host}X-A: ${'a'.repeat(size)}\r\n\r\n`,
      )
      assertRefusal(answer as RawAnswer, 431, 'malformed_request')
    }
    const many = Array.from({ length: 3000 }, (_, i) => `X-${i}: 1\r\n`).join('')
    const [answer] = await exchange(service.address, `GET /api/health HTTP/1.1\r\n${host}${many}\r\n`)
    assertRefusal(answer as RawAnswer, 431, 'malformed_request')
  })

  it('is answered by closing the connection, even if the client keeps it open', async () => {
    const accepted = once(service.app.server, 'connection')
    const socket = connect(service.address)
    socket.allowHalfOpen = true
    socket.on('error', () => {}).resume()
    socket.write('garbage\r\n\r\n')
    const [connection] = await accepted
    await once(connection, 'close')
    socket.destroy()
  })

  it('is not logged as an error when the client disconnects within the body', async () => {
    const start = service.logged.length
    const accepted = once(service.app.server, 'connection')
    const requested = once(service.app.server, 'request')
    const socket = connect(service.address)
    socket.write(rawRequest('POST /api/auth/login', { ...JSON_TYPE, 'content-length': 100 }, '{"a'))
    const [connection] = await accepted
    await requested
    const closed = new Promise((resolve) => connection.once('close', resolve))
    socket.resetAndDestroy()
    await closed
    assert.equal((await service.client.get('/health')).status, 200)
    assert.deepEqual(
      service.logged.slice(start).filter((line) => JSON.parse(line).level > 30),
      [],
    )
  })
})

describe('an expectation', () => {
  for (const expect of ['200-ok', '', 'x'.repeat(1000)]) {
    it(`does not cause a refusal: ${expect.slice(0, 20)}`, async () => {
      const { headers, body, status } = await ask('GET /api/health', { expect })
      assert.deepEqual([status, JSON.parse(body)], [200, { success: true, data: { status: 'ok' } }])
      assert.equal(headers.get('cache-control'), 'no-store')
    })
  }
})

describe('a connection', () => {
  it('serves further requests after a refusal', async () => {
    const agentless = () =>
      new Promise<number>((resolve, reject) => {
        request(`${service.address}/api/nothing`, { headers: { connection: 'keep-alive' } }, (answer) => {
          answer.resume().on('end', () => resolve(answer.statusCode as number))
        })
          .on('error', reject)
          .end()
      })
    assert.deepEqual([await agentless(), await agentless()], [404, 404])
  })
  it('serves a request that arrives while the service stops, and is closed afterwards', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const app = await startSmallApp(service, (api) => {
      const declaration = {
        access: 'anyone',
        action: 'companies.update',
        docs: { operationId: 'x', summary: 'x' },
        response: { data: z.object({}) },
      } as const
      api.get('/slow', declaration, async () => {
        await released
        return {}
      })
    })
    const socket = connect(app.address)
    const closed = once(socket, 'close')
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    const requested = once(app.app.server, 'request')
    socket.write('GET /api/slow HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await requested
    const stopped = app.close()
    const requestedAgain = once(app.app.server, 'request')
    socket.write('GET /api/slow HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await requestedAgain
    release()
    await Promise.all([stopped, closed])
    assert.deepEqual(text.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 200'])
    assert.match(text, /connection: close/i)
  })
})
