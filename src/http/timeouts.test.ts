import assert from 'node:assert/strict'
import net from 'node:net'
import { it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { useTestApp } from '../../test/support/app.ts'
import { connect } from '../../test/support/http.ts'

const service = await useTestApp()

const TRICKLE_MS = 500

/** Sends a start and then a little every half second; returns the answer and the seconds until it came. */
async function trickle(start: string, drop: string) {
  const socket = connect(service.address)
  const started = performance.now()
  let answer = ''
  let open = true
  socket.on('data', (chunk) => {
    answer += chunk
  })
  socket
    .on('error', () => {})
    .on('close', () => {
      open = false
    })
  socket.write(start)
  while (open) {
    await pause(TRICKLE_MS)
    if (socket.writable) socket.write(drop)
  }
  return { answer, seconds: (performance.now() - started) / 1000 }
}

function assertTimedOut(answer: string): void {
  assert.match(answer, /^HTTP\/1\.1 408 Request Timeout\r\n/)
  assert.match(answer, /\r\nconnection: close\r\n/i)
  assert.deepEqual(JSON.parse(answer.split('\r\n\r\n')[1] ?? ''), {
    statusCode: 408,
    message: 'The request couldn’t be read.',
    error: 'Request Timeout',
    code: 'malformed_request',
  })
}

it('ends slow requests after 10 seconds of headers or 15 in total, and answers other requests meanwhile', async () => {
  const host = 'Host: localhost\r\n'
  const body = `POST /api/auth/login HTTP/1.1\r\n${host}Content-Type: application/json\r\n`
  const slow = Promise.all([
    trickle(`GET /api/health HTTP/1.1\r\n${host}X-A: `, 'a'),
    trickle(`${body}Content-Length: 1000\r\n\r\n{`, ' '),
    trickle(`${body}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n'),
    silence(),
    trickle(
      `PUT /api/auth/profile HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
      ' ',
    ),
  ])
  for (let i = 0; i < 20; i++) assert.equal((await service.client.get('/health')).status, 200)
  const [headers, announced, chunked, silent, refused] = await slow
  for (const { answer } of [headers, announced, chunked]) assertTimedOut(answer)
  assert.ok(headers.seconds > 9 && headers.seconds < 14, String(headers.seconds))
  for (const { seconds } of [announced, chunked]) assert.ok(seconds > 14 && seconds < 20, String(seconds))
  assert.ok(silent < 14, String(silent))
  // Answered before its body arrived: there is no second response when that takes too long.
  assert.deepEqual(refused.answer.match(/HTTP\/1\.1 .*/g), ['HTTP/1.1 401 Unauthorized'])
  assert.ok(refused.seconds > 14 && refused.seconds < 20, String(refused.seconds))
  assert.equal(
    service.logged.some((line) => JSON.parse(line).level > 30),
    false,
  )
})

/** Connects and sends nothing; returns the seconds until the service has closed the connection. */
async function silence(): Promise<number> {
  const started = performance.now()
  const accepted = new Promise<net.Socket>((resolve) => service.app.server.once('connection', resolve))
  const { hostname, port } = new URL(service.address)
  const socket = net.connect({ host: hostname, port: Number(port), allowHalfOpen: true }).resume()
  socket.on('error', () => {})
  const connection = await accepted
  await new Promise((resolve) => connection.once('close', resolve))
  socket.destroy()
  return (performance.now() - started) / 1000
}
