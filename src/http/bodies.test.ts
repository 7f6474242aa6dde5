import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { useTestApp } from '../../test/support/app.ts'
import {
  ask as askFor,
  assertRefusal,
  connect,
  exchange,
  type RawAnswer,
  type RawHeaders,
  rawRequest,
} from '../../test/support/http.ts'
import { anyEmail, assertProblem, PASSWORD, registration, signUp } from '../../test/support/people.ts'
import { newId } from '../lib/ids.ts'

const service = await useTestApp()
const ann = await signUp(service.client)

const JSON_TYPE = { 'content-type': 'application/json' }
const ask = (line: string, headers?: RawHeaders, body?: string | Buffer) => askFor(service.address, line, headers, body)

describe('a body', () => {
  const malformed = [
    '{',
    '{"a":}',
    '{"a":1}}',
    "{'a':1}",
    '{"a":1,}',
    'undefined',
    'NaN',
    '\0',
    '{"a":"\n"}',
    ' ',
    '\ufeff',
  ]
  for (const body of malformed) {
    it(`that is not JSON is 400 malformed_json: ${JSON.stringify(body)}`, async () => {
      assertRefusal(await ask('POST /api/auth/login', JSON_TYPE, body), 400, 'malformed_json')
    })
  }

  it('that is not UTF-8 is refused, not repaired', async () => {
    const body = Buffer.concat([
      Buffer.from('{"email":"a@b.co","password":"'),
      Buffer.from([0xff, 0xc0]),
      Buffer.from('"}'),
    ])
    assertRefusal(await ask('POST /api/auth/login', JSON_TYPE, body), 400, 'malformed_json')
  })

  it('may arrive in chunks that split characters', async () => {
    const details = registration({ name: 'Zoë 株式会社' })
    const bytes = Buffer.from(JSON.stringify(details))
    const head = rawRequest('POST /api/auth/register', { ...JSON_TYPE, 'transfer-encoding': 'chunked' })
    const chunks = [...bytes].map((byte) =>
      Buffer.concat([Buffer.from('1\r\n'), Buffer.from([byte]), Buffer.from('\r\n')]),
    )
    const [answer] = await exchange(service.address, head, ...chunks, '0\r\n\r\n')
    assert.equal(answer?.status, 201)
    assert.equal(JSON.parse(Buffer.from(answer.body, 'latin1').toString()).data.user.name, 'Zoë 株式会社')
  })

  const otherTypes = [
    'text/plain',
    'text/plain; charset=utf-8',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'application/merge-patch+json',
    'application/json, text/plain',
    'application/octet-stream',
    'json',
    '*/*',
    ';',
  ]
  for (const type of otherTypes) {
    it(`of another type is 415 body_not_json: ${type}`, async () => {
      const body = JSON.stringify({ email: ann.email, password: PASSWORD })
      assertRefusal(await ask('POST /api/auth/login', { 'content-type': type }, body), 415, 'body_not_json')
    })
  }

  it('without a type is 415', async () => {
    const body = JSON.stringify({ email: ann.email, password: PASSWORD })
    assertRefusal(await ask('POST /api/auth/login', {}, body), 415, 'body_not_json')
  })

  it('that is compressed, or claims to be, is 415', async () => {
    const body = JSON.stringify({ email: ann.email, password: PASSWORD })
    for (const bytes of [gzipSync(body), Buffer.from(body)]) {
      const headers = { ...JSON_TYPE, 'content-encoding': 'gzip' }
      assertRefusal(await ask('POST /api/auth/login', headers, bytes), 415, 'body_not_json')
    }
  })

  for (const type of ['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/json;charset="UTF-8"']) {
    it(`of JSON is accepted with the type ${type}`, async () => {
      const body = JSON.stringify({ email: ann.email, password: PASSWORD })
      assert.equal((await ask('POST /api/auth/login', { 'content-type': type }, body)).status, 200)
    })
  }

  for (const body of ['[]', '[{"email":"a@b.co"}]', 'null', '"text"', '7', 'true']) {
    it(`that is not an object is 400 validation_failed: ${body}`, async () => {
      assertRefusal(await ask('POST /api/auth/login', JSON_TYPE, body), 400, 'validation_failed')
    })
  }

  it('that is missing is treated as an empty object', async () => {
    const empty: RawHeaders[] = [{}, { 'content-length': 0 }, JSON_TYPE, { ...JSON_TYPE, 'content-length': 0 }]
    for (const headers of empty) {
      const needed = await ask('POST /api/auth/login', headers)
      assertRefusal(needed, 400, 'validation_failed')
      assert.equal(JSON.parse(needed.body).message, 'email: is required; password: is required')
      const authorization = `Bearer ${ann.accessToken}`
      assert.equal((await ask('PUT /api/auth/profile', { ...headers, authorization })).status, 200)
      const asNull = await ask('PUT /api/auth/profile', { ...JSON_TYPE, authorization }, 'null')
      assertRefusal(asNull, 400, 'validation_failed')
    }
  })

  it('that is empty is accepted by routes without a body, with and without a type', async () => {
    const authorization = `Bearer ${ann.accessToken}`
    const empty: RawHeaders = { 'content-length': 0 }
    for (const headers of [{}, JSON_TYPE, empty, { ...JSON_TYPE, ...empty }]) {
      const resend = await ask('POST /api/auth/profile/email/resend', { authorization, ...headers })
      assertRefusal(resend, 404, 'pending_email_not_found')
      assert.equal((await ask('DELETE /api/auth/sessions', { authorization, ...headers })).status, 200)
    }
    for (const type of [{}, JSON_TYPE])
      for (const line of ['DELETE /api/auth/sessions', 'POST /api/auth/profile/email/resend']) {
        const chunked = rawRequest(line, { authorization, ...type, 'transfer-encoding': 'chunked' })
        const [answer] = await exchange(service.address, chunked, '0\r\n\r\n')
        assert.notEqual(answer?.status, 415, line)
        assert.equal(
          (await exchange(service.address, chunked, '2\r\n{}\r\n0\r\n\r\n'))[0]?.status,
          type === JSON_TYPE ? answer?.status : 415,
        )
      }
  })

  it('of a GET is ignored', async () => {
    const headers = { authorization: `Bearer ${ann.accessToken}`, ...JSON_TYPE }
    assert.equal((await ask('GET /api/auth/me', headers, '{torn')).status, 200)
  })
})

describe('the size of a body', () => {
  const BYTES_MAX = 102_400
  const bodyOf = (bytes: number) => {
    const start = `{"email":"${anyEmail()}","password":"x","padding":"`
    return `${start}${'x'.repeat(bytes - start.length - 2)}"}`
  }
  const chunked = (body: string) => [
    rawRequest('POST /api/auth/login', { ...JSON_TYPE, 'transfer-encoding': 'chunked' }),
    ...(body.match(/.{1,10000}/g) ?? []).map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`),
    '0\r\n\r\n',
  ]

  it('may be 102,400 bytes', async () => {
    assertRefusal(await ask('POST /api/auth/login', JSON_TYPE, bodyOf(BYTES_MAX)), 401, 'credentials_wrong')
    const [answer] = await exchange(service.address, ...chunked(bodyOf(BYTES_MAX)))
    assertRefusal(answer as RawAnswer, 401, 'credentials_wrong')
  })

  it('is 413 body_too_large from 102,401 bytes on, announced or not', async () => {
    assertRefusal(await ask('POST /api/auth/login', JSON_TYPE, bodyOf(BYTES_MAX + 1)), 413, 'body_too_large')
    const [answer] = await exchange(service.address, ...chunked(bodyOf(BYTES_MAX + 1)))
    assertRefusal(answer as RawAnswer, 413, 'body_too_large')
  })

  it('is refused by its announced length, before it is received', async () => {
    const socket = connect(service.address)
    socket.write(rawRequest('POST /api/auth/login', { ...JSON_TYPE, 'content-length': 10_000_000_000 }))
    const [answer] = await once(socket, 'data')
    assert.match(answer.toString(), /^HTTP\/1\.1 413 /)
    socket.destroy()
  })
})

describe('what is in a body', () => {
  it('may be nested 50,000 levels deep', async () => {
    const list = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
    assertRefusal(await ask('POST /api/auth/login', JSON_TYPE, list), 400, 'validation_failed')
    const inField = `{"email":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
    assertRefusal(await ask('POST /api/auth/login', JSON_TYPE, inField), 400, 'validation_failed')
    const objects = `${'{"a":'.repeat(16_000)}1${'}'.repeat(16_000)}`
    assertRefusal(await ask('POST /api/auth/login', JSON_TYPE, objects), 400, 'validation_failed')
    const prototypes = `${'{"__proto__":'.repeat(7_000)}1${'}'.repeat(7_000)}`
    assertRefusal(await ask('POST /api/auth/login', JSON_TYPE, prototypes), 400, 'validation_failed')
  })

  it('uses the last value of a repeated key', async () => {
    const body = (first: string, last: string) => `{"email":"${first}","email":"${last}","password":"${PASSWORD}"}`
    assert.equal((await ask('POST /api/auth/login', JSON_TYPE, body('not-an-address', ann.email))).status, 200)
    assertRefusal(
      await ask('POST /api/auth/login', JSON_TYPE, body(ann.email, 'not-an-address')),
      400,
      'validation_failed',
    )
  })

  it('cannot change a prototype', async () => {
    const details = JSON.stringify(registration())
    for (const key of ['__proto__', 'constructor', 'prototype', '\\u005f_proto__']) {
      const raw = `{"${key}":${details}}`
      const answer = await service.client.post('/auth/register', undefined, { raw })
      assertProblem(answer, 400, 'validation_failed')
      assert.equal(answer.body.details[0].message, 'is required')
    }
    const raw = `{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},${details.slice(1)}`
    assert.equal((await service.client.post('/auth/register', undefined, { raw })).status, 201)
    assert.equal('polluted' in {}, false)
  })

  it('is dropped when no field is declared', async () => {
    const answer = await ann.api.put('/auth/profile', {
      phone: '1',
      email_verified: true,
      must_change_password: true,
      id: newId(),
      created_at: '2000-01-01T00:00:00.000Z',
    })
    assert.equal(answer.status, 200)
    const { id, email_verified, must_change_password } = answer.body.data
    assert.deepEqual([id, email_verified, must_change_password], [ann.id, false, false])
  })

  it('is refused with all invalid fields in one message', async () => {
    const answer = await service.client.post('/auth/register', { email: 'x', password: 7, name: '', companyName: null })
    assertProblem(answer, 400, 'validation_failed')
    assert.deepEqual(
      answer.body.details.map(({ path }: { path: string }) => path),
      ['email', 'password', 'name', 'companyName', 'taxId'],
    )
    for (const { path, message } of answer.body.details) assert.ok(answer.body.message.includes(`${path}: ${message}`))
  })

  it('is refused in plain sentences', async () => {
    const register = await service.client.post('/auth/register', {
      email: 'x',
      password: 7,
      name: ' ',
      companyName: [],
    })
    assert.equal(
      register.body.message,
      'email: must be a valid email address; password: must be text; name: can’t be blank; companyName: must be text; taxId: is required',
    )
    const change = await ann.api.patch(`/companies/users/${newId()}`, { status: 'gone', roleIds: [7, 'x'], phone: {} })
    assert.deepEqual(change.body.details, [
      { path: 'roleIds.0', message: 'must be text' },
      { path: 'roleIds.1', message: 'must be a UUID' },
      { path: 'status', message: 'must be one of: active, inactive' },
      { path: 'phone', message: 'must be text' },
    ])
    const list = await ann.api.get('/companies/users?limit=0&sortBy=x')
    assert.deepEqual(list.body.details, [
      { path: 'limit', message: 'must be a whole number from 1 to 100' },
      { path: 'sortBy', message: 'must be one of: name, email, created_at, status' },
    ])
    const whole = await service.client.post('/auth/login', [])
    assert.equal(whole.body.message, 'must be an object')
  })
})

describe('a query', () => {
  const lists = [
    'page=0',
    'page=-1',
    'page=1e2',
    'page=01x',
    'limit=0',
    'limit=101',
    'limit=1.5',
    'page=1&page=2',
    'page=&page=1&page=2',
  ]
  for (const query of [
    ...lists,
    'sortBy=constructor',
    'sortBy=__proto__',
    'sortBy=id',
    'sortDir=ASC',
    'page=9999999999',
  ]) {
    it(`out of range is 400, never adjusted: ${query}`, async () => {
      assertProblem(await ann.api.get(`/companies?${query}`), 400, 'validation_failed')
    })
  }

  it('may have empty parameters, which count as absent', async () => {
    const names = ['page', 'limit', 'sortBy', 'sortDir', 'search', 'status', 'roleId', 'branchId']
    const empty = names.map((name) => `${name}=`).join('&')
    const left = await ann.api.get('/companies/users')
    for (const query of [empty, names.join('&'), `${empty}&${empty}`, `${empty}&page=1&status=active`]) {
      const answer = await ann.api.get(`/companies/users?${query}`)
      assert.equal(answer.status, 200, query)
      assert.deepEqual(answer.body, left.body)
    }
    assert.equal((await ann.api.get('/companies/audit?cursor=&limit=&action=&from=')).status, 200)
    const missing = await ann.api.get('/companies/users/search?q=')
    assertProblem(missing, 400, 'validation_failed')
    assert.deepEqual(missing.body.details, [{ path: 'q', message: 'is required' }])
  })

  it('may have unknown parameters, including prototype keys and bad escapes', async () => {
    const query = '__proto__=1&constructor=2&toString=3&x=%zz&%=1&=&&a[b]=c&limit=7'
    assert.equal((await ann.api.get(`/companies?${query}`)).body.limit, 7)
  })
})
