import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { tracing } from '../src/tracing/spans.ts'
import { startTraceReceiver } from './support/otlp.ts'
import { anyEmail, PASSWORD, signIn, signUp } from './support/people.ts'
import { type RunningTestService, startRunningService } from './support/running.ts'
import { until } from './support/until.ts'

const receiver = await startTraceReceiver()
after(() => receiver.close())

/** The libraries read the environment themselves. */
async function startTraced(protocol: string): Promise<RunningTestService> {
  const variables = {
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.address,
    OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    OTEL_SERVICE_NAME: 'traced-here',
    OTEL_BSP_SCHEDULE_DELAY: '20',
  }
  Object.assign(process.env, variables)
  return startRunningService(variables)
}

const service = await startTraced('http/json')

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const CALLER = 'b7ad6b7169203331'
const spansOf = (traceId: string) => receiver.spans().filter((span) => span.traceId === traceId)
const serverSpanOf = (traceId: string) => spansOf(traceId).find(({ kind }) => kind === 2)
const traceOf = (headers: Headers) => headers.get('traceresponse')?.split('-')[1] ?? ''

describe('traces', () => {
  it('follow the caller, with the route of the request and its statements below', async () => {
    const ann = await signUp(service.client)
    const headers = { traceparent: `00-${TRACE}-${CALLER}-01`, 'x-request-id': 'traced-request' }
    const answer = await ann.api.get('/auth/me', { headers })
    await until(() => serverSpanOf(TRACE) !== undefined)
    const server = serverSpanOf(TRACE)
    assert.equal(server?.parentSpanId, CALLER)
    assert.equal(server?.name, 'GET /api/auth/me')
    assert.deepEqual(server?.attributes, {
      'http.request.method': 'GET',
      'url.scheme': 'http',
      'http.route': '/api/auth/me',
      'http.response.status_code': 200,
      'tenantry.request_id': 'traced-request',
    })
    assert.equal(answer.headers.get('traceresponse'), `00-${TRACE}-${server?.spanId}-01`)
    const statements = spansOf(TRACE).filter(({ parentSpanId }) => parentSpanId === server?.spanId)
    assert.ok(statements.length > 0)
    assert.equal(statements[0]?.attributes['db.system.name'], 'postgresql')
    assert.equal(statements[0]?.attributes['db.operation.name'], 'SELECT')
    assert.ok(service.logged.some((line) => line.includes('"traced-request"') && line.includes(TRACE)))
  })

  it('have the statements that come after a body, up to the commit', async () => {
    const email = anyEmail()
    await signUp(service.client, { email })
    const answer = await service.client.post('/auth/login', { email, password: PASSWORD })
    const traceId = traceOf(answer.headers)
    await until(() => serverSpanOf(traceId) !== undefined)
    const names = spansOf(traceId).map(({ name }) => name)
    for (const name of ['POST /api/auth/login', 'INSERT sessions', 'COMMIT']) assert.ok(names.includes(name), name)
  })

  it('have the code of a refusal, and are failed only where the service is', async () => {
    const refused = traceOf((await service.client.get('/auth/me')).headers)
    const unknown = traceOf((await service.client.get('/invented/path')).headers)
    await until(() => serverSpanOf(refused) !== undefined && serverSpanOf(unknown) !== undefined)
    assert.equal(serverSpanOf(refused)?.attributes['tenantry.problem'], 'token_missing')
    assert.notEqual(serverSpanOf(refused)?.status.code, 2)
    assert.equal(serverSpanOf(unknown)?.name, 'GET')
    const ann = await signUp(service.client)
    await service.db.query('begin')
    await service.db.query('lock table sessions in access exclusive mode')
    const failed = await service.client.post('/auth/login', { email: ann.email, password: PASSWORD })
    await service.db.query('rollback')
    const traceId = traceOf(failed.headers)
    await until(() => serverSpanOf(traceId) !== undefined)
    assert.equal(failed.status, 503)
    assert.equal(serverSpanOf(traceId)?.status.code, 2)
    assert.equal(serverSpanOf(traceId)?.attributes['error.type'], 'database_unavailable')
  })

  it('have emails, with the statements of their attempt', async () => {
    const ann = await signUp(service.client)
    await ann.api.post('/companies/users', { name: 'Bob', email: anyEmail() })
    const email = () => receiver.spans().find(({ name }) => name === 'send email')
    await until(() => email() !== undefined)
    assert.equal(email()?.attributes['tenantry.email.attempts'], 1)
    assert.equal(typeof email()?.attributes['tenantry.email.kind'], 'string')
  })

  it('leave out requests that the caller does not trace, and the rounds of workers', async () => {
    const traceId = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'
    await service.client.get('/auth/me', { headers: { traceparent: `00-${traceId}-${CALLER}-00` } })
    const next = traceOf((await service.client.get('/auth/me')).headers)
    await until(() => serverSpanOf(next) !== undefined)
    assert.deepEqual(spansOf(traceId), [])
    const roots = receiver.spans().filter(({ parentSpanId }) => !parentSpanId)
    assert.deepEqual(
      new Set(roots.map(({ kind, name }) => (kind === 2 ? 'request' : name))),
      new Set(['request', 'send email']),
    )
  })

  it('have no address, no name, no password, no token and no value', async () => {
    const email = 'traced.person@example.com'
    const ann = await signUp(service.client, { email, name: 'Traced Person', companyName: 'Traced Company' })
    const { refreshToken, accessToken } = await signIn(service.client, email)
    await ann.api.get('/companies/users?search=traced-search')
    await ann.api.post('/companies/users', { name: 'Traced Member', email: 'traced.member@example.com' })
    await ann.api.post('/companies/users', { name: 'Traced Member', email: 'traced.member@example.com' })
    await service.client.post('/auth/reset-password', { token: 'traced-token', newPassword: 'Traced-horse-8' })
    const last = traceOf((await service.client.post('/auth/refresh', { refreshToken })).headers)
    await until(() => serverSpanOf(last) !== undefined)
    const all = receiver.bodies.map(({ bytes }) => bytes.toString()).join('')
    assert.ok(all.includes('"traced-here"'))
    for (const secret of [
      'traced.',
      'Traced',
      'traced-search',
      'traced-token',
      '@example.com',
      PASSWORD,
      accessToken,
      refreshToken,
    ])
      assert.equal(all.includes(secret), false, secret)
  })
})

it('traces are sent in the standard encoding, and end with the service', async () => {
  await service.close()
  assert.equal(tracing.spans, undefined)
  receiver.bodies.splice(0)
  const other = await startTraced('http/protobuf')
  await other.client.get('/health')
  await other.close()
  assert.ok(receiver.bodies.length > 0)
  assert.deepEqual(
    new Set(receiver.bodies.map(({ type, path }) => `${type} ${path}`)),
    new Set(['application/x-protobuf /v1/traces']),
  )
  assert.ok(receiver.bodies.some(({ bytes }) => bytes.includes('traced-here') && bytes.includes('/api/health')))
})
