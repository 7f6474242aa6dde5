import net, { type AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { TestApp } from '../../test/support/app.ts'
import { Client } from '../../test/support/client.ts'
import { readConfig } from '../config.ts'
import { createLog } from '../log.ts'
import { createAccessCheck } from './access.ts'
import { type Api, createApi } from './endpoints.ts'
import { openLimits } from './limits.ts'
import { OpenApiDocument } from './openapi.ts'
import { createRefusalRecorder } from './refusals.ts'
import { createServer } from './server.ts'

export interface RawAnswer {
  status: number
  headers: Headers
  body: string
}

/** Sends bytes as they are and reads until the server closes: the answers, in their order. */
export async function exchange(address: string, ...parts: (string | Buffer)[]): Promise<RawAnswer[]> {
  const socket = dial(address)
  for (const part of parts) socket.write(part)
  const chunks: Buffer[] = []
  // A server that refuses may close while we still send.
  socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => {})
  await new Promise((resolve) => socket.once('close', resolve))
  return answersIn(Buffer.concat(chunks).toString('latin1'))
}

export function dial(address: string): net.Socket {
  const { hostname, port } = new URL(address)
  return net.connect({ host: hostname, port: Number(port) })
}

/** A request whose connection ends with its answer. */
export function rawRequest(line: string, headers: Record<string, string | number> = {}, body: string | Buffer = '') {
  const all = { host: 'localhost', connection: 'close', ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`${line} HTTP/1.1\r\n${lines.join('')}\r\n`), Buffer.from(body)])
}

function answersIn(text: string): RawAnswer[] {
  if (text === '') return []
  const end = text.indexOf('\r\n\r\n') + 4
  const [start = '', ...lines] = text.slice(0, end).trim().split('\r\n')
  const headers = new Headers(lines.map((line) => line.split(/: ?(.*)/s).slice(0, 2) as [string, string]))
  const length = Number(headers.get('content-length') ?? 0)
  const answer = { status: Number(start.split(' ')[1]), headers, body: text.slice(end, end + length) }
  return [answer, ...answersIn(text.slice(end + length))]
}

export interface SmallApp {
  app: FastifyInstance
  client: Client
  address: string
  logged: string[]
  close(): Promise<void>
}

/** The conventions of the service, with routes of the test's own, on the database of a whole one. */
export async function startSmallApp(service: TestApp, declare: (api: Api) => void): Promise<SmallApp> {
  const { database, keys } = service
  const config = readConfig({
    NODE_ENV: 'test',
    APP_SECRET: 'a-secret-that-no-test-asks-for-01',
    RATE_LIMIT_ENABLED: 'false',
  })
  const logged: string[] = []
  const log = createLog('info', { write: (line: string) => void logged.push(line) })
  const limits = openLimits(config, () => {})
  const app = await createServer({ config, log, limits, onRefused: createRefusalRecorder(database) })
  const checkAccess = createAccessCheck(database, keys)
  declare(createApi(app, { database, checkAccess, document: new OpenApiDocument(), strictAnswers: true }))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const address = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  return { app, client: new Client(`${address}/api`), address, logged, close: () => app.close() }
}

/** The first line from `start` on that matches, as soon as it is there. */
export async function untilLogged(logged: string[], pattern: RegExp, start = 0): Promise<string> {
  for (;;) {
    const line = logged.slice(start).find((each) => pattern.test(each))
    if (line) return line
    await new Promise((resolve) => setImmediate(resolve))
  }
}
