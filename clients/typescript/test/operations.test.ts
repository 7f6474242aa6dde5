import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { createClient, memoryStore } from '@tenantry/client'
import { operationsOf } from '../../../test/support/documents.ts'
import { PUBLIC } from '../src/transport.ts'

const DOCUMENT = JSON.parse(readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8'))
const operations = operationsOf(DOCUMENT)
const BASE = 'http://service.invalid'
const TOKEN = `x.${btoa(JSON.stringify({ sub: 'me', iat: 0, exp: 900 }))}.x`

/** Answers everything, and remembers what was asked. */
function recording() {
  const asked: Request[] = []
  const one = { user: { id: 'me' }, tenants: [], companyPermissions: {}, accessToken: TOKEN, refreshToken: 'x' }
  const fetch = async (request: Request) => {
    asked.push(request)
    const isList = request.method === 'GET' && !request.url.endsWith('/me')
    return Response.json({ success: true, data: isList ? [] : one, nextCursor: null, total: 0 })
  }
  const tokens = { accessToken: TOKEN, refreshToken: 'x', refreshKey: 'x', receivedAt: Date.now() }
  const tenantry = createClient({
    baseUrl: BASE,
    session: memoryStore(tokens),
    fetch: fetch as typeof globalThis.fetch,
  })
  return { asked, tenantry }
}

/** The template of the document that a request follows, such as `GET /api/companies/{id}`. */
function templateOf({ method, url }: Request): string {
  const parts = new URL(url).pathname.split('/')
  const fits = (name: string) => {
    const [verb, path = ''] = name.split(' ')
    const template = path.split('/')
    return (
      verb === method &&
      template.length === parts.length &&
      template.every((part, index) => part === parts[index] || (part.startsWith('{') && parts[index] === 'ID'))
    )
  }
  return operations.find(({ name }) => fits(name))?.name ?? `${method} ${url}`
}

/** Calls every method, each with an id and with a body: those that take only one of them ignore the other. */
async function callEverything(scope: object, isLeftOut: (name: string) => boolean, name = ''): Promise<void> {
  for (const [key, member] of Object.entries(scope)) {
    const path = name ? `${name}.${key}` : key
    if (isLeftOut(path)) continue
    if (typeof member === 'object') await callEverything(member, isLeftOut, path)
    else if (typeof member === 'function') {
      const result = member('ID', {}, {})
      if (Symbol.asyncIterator in Object(result)) for await (const _ of result) break
      else await result
    }
  }
}

describe('the client', () => {
  it('has a method for every operation of the document, and calls no other', async () => {
    const { asked, tenantry } = recording()
    const left = /^(session|http|close|company|signOut)$/
    await callEverything(tenantry, (path) => left.test(path))
    await callEverything(tenantry.company('ID'), (path) => path === 'can' || path === 'permissions')
    await tenantry.signOut()
    const called = new Set(asked.map(templateOf))
    // Each call makes it when it has to.
    called.add('POST /api/auth/refresh')
    assert.deepEqual([...called].sort(), operations.map(({ name }) => name).sort())
  })

  it('names the company where the document demands it, and only there', async () => {
    const { asked, tenantry } = recording()
    await callEverything(tenantry.company('ID'), (path) => path === 'can' || path === 'permissions')
    const inCompany = new Set(
      operations.filter(({ security }) => security.some((each: object) => 'company' in each)).map(({ name }) => name),
    )
    for (const request of asked)
      assert.equal(request.headers.get('x-company-id') === 'ID', inCompany.has(templateOf(request)), request.url)
  })

  it('knows which operations need no token', () => {
    for (const { name, security } of operations)
      assert.equal(PUBLIC.test(BASE + name.split(' ')[1]), security.length === 0, name)
  })

  it('sends a key of its own with every write', async () => {
    const { asked, tenantry } = recording()
    await callEverything(tenantry.company('ID'), (path) => path === 'can' || path === 'permissions')
    const writes = asked.filter(({ method }) => method !== 'GET')
    const keys = writes.map(({ headers }) => headers.get('idempotency-key') ?? '')
    assert.ok(writes.length > 20)
    assert.equal(new Set(keys).size, writes.length)
    for (const key of keys) assert.match(key, /^[\x21-\x7e]{20,255}$/)
  })
})
