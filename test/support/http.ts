import assert from 'node:assert/strict'
import net, { type AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { readConfig } from '../../src/config/config.ts'
import { recordAttempt } from '../../src/features/audit/refusals.ts'
import { createAccessChecks } from '../../src/http/check-access.ts'
import { createIdempotencyStore } from '../../src/http/idempotency/store.ts'
import { unlimited } from '../../src/http/limits/limits.ts'
import { OpenApiDocument } from '../../src/http/openapi/document.ts'
import { type Api, createApi } from '../../src/http/routes.ts'
import { createServer } from '../../src/http/server.ts'
import { SessionCookie } from '../../src/http/session-cookie.ts'
import { createTokenVerifier } from '../../src/http/token-verifier.ts'
import { UUID_PATTERN } from '../../src/lib/ids.ts'
import { createLog } from '../../src/process/log.ts'
import type { TestApp } from './app.ts'
import { type Answer, Client, type RequestOptions } from './client.ts'
import { checkAnswersFrom, contractOf } from './contract.ts'
import { assertProblem } from './people.ts'
import { until } from './until.ts'

export interface RawAnswer {
  status: number
  headers: Headers
  body: string
}

export type RawHeaders = Record<string, string | number>

/** Sends bytes unchanged, reads until the server closes, and returns the answers in order. */
export async function exchange(address: string, ...parts: (string | Buffer)[]): Promise<RawAnswer[]> {
  const socket = connect(address)
  for (const part of parts) socket.write(part)
  const chunks: Buffer[] = []
  // A server that refuses may close the connection during the request.
  socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => {})
  await new Promise((resolve) => socket.once('close', resolve))
  const answers = answersIn(Buffer.concat(chunks).toString('latin1'))
  checkFirstAnswer(address, String(parts[0]), answers[0])
  return answers
}

/** Checks the first answer against the document, if a well-formed request line was sent. */
function checkFirstAnswer(address: string, sent: string, answer: RawAnswer | undefined): void {
  const [, method, target] = /^(GET|HEAD|POST|PUT|PATCH|DELETE) (\/\S*) HTTP\/1\.1\r\n/.exec(sent) ?? []
  if (!method || !target || !answer) return
  const text = Buffer.from(answer.body, 'latin1').toString()
  contractOf(address)?.check(method, target, { ...answer, text })
}

export function connect(address: string): net.Socket {
  const { hostname, port } = new URL(address)
  return net.connect({ host: hostname, port: Number(port) })
}

/** A request whose connection ends with its answer. */
export function rawRequest(line: string, headers: RawHeaders = {}, body: string | Buffer = '') {
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

/** Sends one request and returns its only answer. */
export async function ask(
  address: string,
  line: string,
  headers: RawHeaders = {},
  body: string | Buffer = '',
): Promise<RawAnswer> {
  const length: RawHeaders = body.length > 0 ? { 'content-length': Buffer.byteLength(body) } : {}
  const answers = await exchange(address, rawRequest(line, { ...length, ...headers }, body))
  assert.equal(answers.length, 1)
  return answers[0] as RawAnswer
}

/** Asserts a refusal in the documented shape, without extra keys. */
export function assertRefusal(answer: RawAnswer | undefined, status: number, code: string): void {
  if (!answer) assert.fail('no answer')
  const { headers, body } = answer
  const parsed = JSON.parse(body)
  assertProblem({ status: answer.status, body: parsed }, status, code)
  const extra = { validation_failed: ['details'], permission_missing: ['required'] }[code] ?? []
  assert.deepEqual(Object.keys(parsed).sort(), ['code', 'error', 'message', 'statusCode', ...extra].sort())
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.equal(headers.get('x-content-type-options'), 'nosniff')
  assert.match(headers.get('x-request-id') ?? '', UUID_PATTERN)
}

export interface SmallApp {
  app: FastifyInstance
  client: Client
  address: string
  logged: string[]
  close(): Promise<void>
}

/** A server with the conventions of the service and routes of the test, on the database of `service`. */
export async function startSmallApp(
  service: TestApp,
  declare: (api: Api, app: FastifyInstance) => void,
): Promise<SmallApp> {
  const { database, keys } = service
  const config = readConfig({
    NODE_ENV: 'test',
    APP_SECRET: 'a-secret-that-no-test-asks-for-01',
    RATE_LIMIT_ENABLED: 'false',
  })
  const logged: string[] = []
  const log = createLog('info', { write: (line: string) => void logged.push(line) })
  const app = await createServer({
    config,
    log,
    limits: unlimited,
    onRefused: (attempt, refused) => recordAttempt(database, attempt, refused),
  })
  const access = createAccessChecks(database, createTokenVerifier(keys))
  const idempotency = createIdempotencyStore(database, keys)
  const document = new OpenApiDocument()
  const sessionCookie = new SessionCookie(config, keys)
  declare(createApi(app, { database, access, idempotency, sessionCookie, document, validateResponses: true }), app)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const address = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  checkAnswersFrom(await document.build(), address)
  return { app, client: new Client(`${address}/api`), address, logged, close: () => app.close() }
}

/** Waits for the first line from `start` on that matches. */
export async function untilLogged(logged: string[], pattern: RegExp, start = 0): Promise<string> {
  const find = () => logged.slice(start).find((line) => pattern.test(line))
  await until(() => find() !== undefined)
  return find() as string
}

let used = 0
/** An address that no test has used yet. */
export const freshAddress = () => `203.0.${113 + Math.floor(used / 250)}.${1 + (used++ % 250)}`
export const from = (address: string): RequestOptions => ({ headers: { 'x-forwarded-for': address } })

export const nothing = ({ client }: TestApp, options: RequestOptions = {}) => client.get('/nothing', options)

/** Repeats a request and returns all statuses. */
export async function repeat(times: number, send: () => Promise<Answer>): Promise<number[]> {
  const statuses = []
  for (let i = 0; i < times; i++) statuses.push((await send()).status)
  return statuses
}

export const servedOf = (statuses: number[]) => statuses.filter((status) => status !== 429).length

/** `"general";r=29;t=60, "login";r=4;t=60` → what each limit says. */
export function limitsIn(header: string | null | undefined): Record<string, Record<string, number>> {
  const items = (header ?? '').split(', ').map((item) => {
    const [, name = '', parameters = ''] = /^"([a-z-]+)"((?:;[a-z]=\d{1,15})+)$/.exec(item) ?? assert.fail(`${header}`)
    const pairs = [...parameters.matchAll(/;([a-z])=(\d+)/g)].map(([, key, value]) => [key, Number(value)])
    return [name, Object.fromEntries(pairs)]
  })
  return Object.fromEntries(items)
}
