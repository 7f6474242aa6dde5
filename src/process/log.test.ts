import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useTestApp } from '../../test/support/app.ts'
import { connect, exchange, rawRequest, untilLogged } from '../../test/support/http.ts'
import { anyEmail, PASSWORD, registration, signIn, signUp } from '../../test/support/people.ts'
import { createLog } from './log.ts'

const service = await useTestApp()

describe('the log', () => {
  it('contains no token, password, email address, name or query string', async () => {
    const NEW_PASSWORD = 'Another-horse-8'
    const details = registration({ name: 'Name-of-Ann' })
    const { client, mailbox } = service
    const headers = {
      'user-agent': 'agent-of-ann/1',
      'idempotency-key': 'key-of-ann',
      cookie: 'a=cookie-of-ann',
    }
    const secrets = [
      PASSWORD,
      NEW_PASSWORD,
      'Wrong-horse-9',
      details.email,
      details.name,
      details.companyName,
      ...Object.values(headers),
    ]

    const { body } = await client.post('/auth/register', details, { headers })
    secrets.push(body.data.accessToken, body.data.refreshToken)
    const ann = await signIn(client, details.email)
    await client.post('/auth/login', { email: details.email, password: 'Wrong-horse-9' }, { headers })
    const pair = await client.post('/auth/refresh', { refreshToken: ann.refreshToken }, { headers })
    await client.post('/auth/refresh', { refreshToken: ann.refreshToken }, { headers })
    secrets.push(ann.accessToken, ann.refreshToken, pair.body.data.accessToken, pair.body.data.refreshToken)

    await client.post('/auth/forgot-password', { email: details.email })
    const reset = await mailbox.token(details.email, 'reset_password')
    await fetch(`${service.address}/reset-password?token=${reset}`)
    await fetch(`${service.address}/api/nothing?token=${reset}`)
    await fetch(`${service.address}/api/auth/reset-password/${reset}?token=${reset}`)
    await client.post('/auth/reset-password', { token: reset, newPassword: NEW_PASSWORD }, { headers })
    await client.post('/auth/reset-password', { token: reset, newPassword: NEW_PASSWORD })

    const again = await signIn(client, details.email, NEW_PASSWORD)
    await again.api.put('/auth/profile', { email: `new-${details.email}`, phone: 'phone-of-ann' })
    const verify = await mailbox.token(`new-${details.email}`, 'change_email')
    await fetch(`${service.address}/verify-email?token=${verify}`)
    await client.post('/auth/verify-email', { token: verify })
    secrets.push(reset, verify, 'phone-of-ann', again.accessToken, again.refreshToken)

    const torn = rawRequest(
      'POST /api/auth/login',
      { 'content-type': 'application/json', 'content-length': 30 },
      '{"password":"Torn-horse-10" tor',
    )
    await exchange(service.address, torn)
    await exchange(
      service.address,
      `GET /?token=${verify} HTTP/9\r\nAuthorization: Bearer ${again.accessToken}\r\n\r\n`,
    )
    await exchange(
      service.address,
      rawRequest(`GET /api/%zz?token=${verify}`, { authorization: 'Bearer unread-token' }),
    )
    secrets.push('Torn-horse-10', 'unread-token', '%zz', '?token', '?')

    const log = service.logged.join('')
    for (const secret of secrets) assert.equal(log.includes(secret), false, secret)
    for (const token of [body.data.accessToken, again.refreshToken]) {
      for (const part of token.split('.').slice(1)) assert.equal(log.includes(part), false)
    }
  })

  it('has one line for each response, with the route and without the URL', async () => {
    const start = service.logged.length
    const ann = await signIn(
      service.client,
      (await service.client.post('/auth/register', registration())).body.data.user.email,
    )
    const gone = '01a1fae7-08dc-70b1-8740-a47531448352'
    await ann.api.delete(`/auth/sessions/${gone}?secret=1`, undefined, { headers: { 'x-request-id': 'one-line' } })
    const line = JSON.parse(await untilLogged(service.logged, /"one-line"/, start))
    const { time, ms, ...rest } = line
    assert.deepEqual(rest, {
      level: 30,
      service: 'tenantry',
      reqId: 'one-line',
      method: 'DELETE',
      route: '/api/auth/sessions/:id',
      status: 404,
      account: ann.id,
      code: 'session_not_found',
      msg: 'request completed',
    })
    assert.match(time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    assert.equal(typeof ms, 'number')
    assert.equal(service.logged.slice(start).filter((each) => each.includes('one-line')).length, 1)
  })

  it('has the code of each refusal, and the IP address for codes that a guesser or scanner causes', async () => {
    const start = service.logged.length
    const ann = await signUp(service.client)
    const eve = await signUp(service.client)
    const headers = { 'x-request-id': 'refused-here' }
    await service.client.post('/auth/login', { email: anyEmail(), password: PASSWORD }, { headers })
    await service.client.get('/auth/me', { token: 'x', headers })
    await eve.api.get('/companies/users', { company: ann.company.id, headers })
    await ann.api.get('/companies?page=0', { headers })
    await ann.api.get('/companies', { headers })
    await untilLogged(service.logged, /"refused-here".*"status":200/, start)

    const lines = service.logged.slice(start).map((line) => JSON.parse(line))
    const refusals = lines
      .filter(({ reqId }) => reqId === 'refused-here')
      .map(({ status, code, ip }) => [status, code, ip])
    assert.deepEqual(refusals, [
      [401, 'credentials_wrong', '127.0.0.1'],
      [401, 'token_invalid', '127.0.0.1'],
      [403, 'not_a_member', '127.0.0.1'],
      [400, 'validation_failed', undefined],
      [200, undefined, undefined],
    ])
  })

  it('can’t be forged by line breaks in a request', async () => {
    const start = service.logged.length
    for (const id of ['a%0a{"level":60}', 'a\u2028b', '\u001b[31m']) {
      await service.client.get(`/nothing/${encodeURIComponent(id)}`, {
        headers: { 'x-request-id': encodeURIComponent(id) },
      })
    }
    for (const line of service.logged.slice(start)) {
      assert.equal(line.trim().split('\n').length, 1)
      assert.notEqual(JSON.parse(line).level, 60)
    }
  })

  it('has no line about clients that only connect', async () => {
    const start = service.logged.length
    const socket = connect(service.address)
    await new Promise((resolve) => socket.once('connect', resolve))
    socket.resetAndDestroy()
    await service.client.get('/health')
    assert.deepEqual(
      service.logged.slice(start).filter((line) => JSON.parse(line).level > 30),
      [],
    )
  })
})

describe('an error in the log', () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line: string) => void lines.push(line) })

  async function logged(sql: string, values: unknown[]) {
    const error: Error = await service.db.query(sql, values).then(
      () => assert.fail('no error'),
      (thrown) => thrown,
    )
    log.error({ err: new Error('outer', { cause: error }) }, 'failed')
    const line = lines.at(-1) as string
    return { line, err: JSON.parse(line).err }
  }

  it('has its message, code and stack, without values that were sent to the database or came from it', async () => {
    const taken = await logged(`insert into accounts (id, email, name) values ($1, $2, 'x'), ($1, $2, 'x')`, [
      '01a1fae7-08dc-70b1-8740-a47531448352',
      'row-value@example.com',
    ])
    assert.equal(taken.err.cause.code, '23505')
    assert.match(taken.err.cause.message, /^duplicate key/)
    assert.match(taken.err.cause.constraint, /^accounts_/)
    assert.match(taken.err.stack, /\n {4}at /)
    assert.doesNotMatch(taken.line, /row-value|01a1fae7-08dc/)
  })

  it('has no message when that quotes a value', async () => {
    for (const [sql, value] of [
      ['select $1::text::uuid', 'row-value'],
      ['select $1::text::timestamptz', 'row-value'],
      ['select $1::text::jsonb', '{row-value'],
      ['select $1::text::int', 'row-value'],
    ] as const) {
      const { line, err } = await logged(sql, [value])
      assert.match(err.cause.code, /^22/)
      assert.match(err.cause.stack, /^ {4}at /)
      assert.doesNotMatch(line, /row-value/, sql)
    }
  })
})
