import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { useTestApp } from '../../../test/support/app.ts'
import { operationsOf } from '../../../test/support/documents.ts'
import { signUp } from '../../../test/support/people.ts'
import { type ProblemCode, problemCodes, statusOf } from '../../problems.ts'

// biome-ignore lint/suspicious/noExplicitAny: a document is looked at the way a generator of clients does.
type Json = any

const service = await useTestApp({}, { servesDocumentation: true })
const headers = { authorization: `Basic ${Buffer.from('docs:docs-password').toString('base64')}` }
const document: Json = await (await fetch(`${service.address}/api/docs-json`, { headers })).json()
const operations = operationsOf(document)

const HEADER = 'x-company-id'

const LEARNING_ORDER = [
  'Sign up and sign in',
  'Profile',
  'Passwords',
  'Second factor',
  'Sessions',
  'Companies',
  'Members',
  'Invitations',
  'Domains',
  'Branches',
  'Roles',
  'Permissions',
  'Policy',
  'Audit log',
  'Health',
]

describe('the document', () => {
  it('is OpenAPI 3.1, and equal to the one of the build', () => {
    assert.deepEqual(JSON.parse(JSON.stringify(service.document)), document)
    assert.equal(document.openapi, '3.1.0')
    for (const key of ['title', 'version', 'description']) assert.equal(typeof document.info[key], 'string')
  })

  it('lists exactly the routes of the service', () => {
    const served = routesIn(service.app.printRoutes({ commonPrefix: false }))
    assert.deepEqual(
      operations.map(({ name }) => name).sort(),
      served.filter((route) => /^(?!HEAD)\w+ \/api\/(?!docs)/.test(route)).sort(),
    )
  })

  it('gives every operation one id, one summary and one tag', () => {
    const names = operations.map(({ operationId }) => operationId)
    assert.deepEqual(names, [...new Set(names)])
    for (const { name, operationId, summary, description, tags } of operations) {
      assert.match(operationId, /^[a-z][A-Za-z]+$/)
      assert.ok(summary.length > 5 && description.length > 15, name)
      assert.ok(tags.length === 1 && LEARNING_ORDER.includes(tags[0]), `${name} ${tags}`)
    }
  })

  it('groups operations in the order of learning', () => {
    const tags = document.tags.map((tag: Json) => tag.name)
    assert.deepEqual(new Set(tags), new Set(operations.map(({ tags: [tag] }) => tag)))
    assert.deepEqual(
      tags,
      LEARNING_ORDER.filter((name) => tags.includes(name)),
    )
    for (const { description } of document.tags) assert.ok(description.length > 10)
  })

  it('requires a token exactly where the service does', async () => {
    for (const { name, method, url, security, responses } of operations) {
      const { body } = await service.client.send(method, url)
      assert.equal(body.code === 'token_missing', security.length > 0, name)
      assert.equal(codesOf(responses[401])?.includes('token_missing') ?? false, security.length > 0, name)
    }
  })

  it('asks for the company beside the token, in one requirement, exactly where the service does', async () => {
    const { accessToken, company, ...others } = document.components.securitySchemes
    assert.deepEqual(
      [accessToken.scheme, company.type, company.in, company.name],
      ['bearer', 'apiKey', 'header', HEADER],
    )
    assert.deepEqual(others, {})
    const ann = await signUp(service.client)
    for (const { name, method, url, security, parameters } of operations) {
      assert.ok(!parameters.some((parameter) => parameter.name.toLowerCase() === HEADER), name)
      assert.ok(security.length < 2, name)
      const { body } = await service.client.with({ token: ann.accessToken }).send(method, url)
      assert.equal(body.code === 'company_header_missing', 'company' in (security[0] ?? {}), name)
    }
  })

  it('names the permission wherever it asks for the company, and what is refused without them', () => {
    for (const { name, security, responses, description, ...operation } of operations) {
      const permission = operation['x-permission']
      if (!('company' in (security[0] ?? {}))) continue
      assert.match(permission, /^[a-z]+:[a-z]+$/, name)
      assert.ok(description?.includes(permission), name)
      assert.ok(codesOf(responses[403])?.includes('permission_missing'), name)
      assert.ok(codesOf(responses[400])?.includes('company_header_missing'), name)
    }
  })

  it('declares every path parameter once', () => {
    for (const { name, url, parameters } of operations) {
      const inPath = parameters.filter((parameter) => parameter.in === 'path')
      const expected = [...url.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter)
      assert.deepEqual(inPath.map((parameter) => parameter.name).sort(), expected.sort(), name)
      assert.ok(inPath.every(({ required }) => required))
      const all = parameters.map((parameter) => `${parameter.in} ${parameter.name}`)
      assert.equal(new Set(all).size, all.length)
    }
  })

  it('declares numbers in queries as numbers with bounds', () => {
    for (const { parameters } of operations)
      for (const { name, schema } of parameters) {
        if (name === 'limit') assert.deepEqual([schema.type, schema.minimum, schema.maximum], ['integer', 1, 100])
        if (name === 'page') assert.deepEqual([schema.type, schema.minimum], ['integer', 1])
      }
  })

  it('lists one success per operation, as an envelope without extra keys', () => {
    for (const { name, responses } of operations) {
      const successes = Object.keys(responses).filter((status) => status.startsWith('2'))
      assert.equal(successes.length, 1, name)
      const { 'application/json': json, ...others } = responses[successes[0] as string].content
      if (!json) {
        assert.deepEqual(
          [name, Object.keys(others)],
          ['GET /api/companies/audit/export', ['application/x-ndjson', 'text/csv']],
        )
        continue
      }
      const { schema } = json
      assert.deepEqual(schema.properties.success, { type: 'boolean', const: true }, name)
      assert.ok(schema.required.includes('data') && schema.additionalProperties === false, name)
    }
  })

  it('lists every refusal with its codes under their status', () => {
    for (const { name, method, responses } of operations) {
      const refusals = Object.entries<Json>(responses).filter(([status]) => Number(status) >= 400)
      for (const [status, response] of refusals) {
        const codes = codesOf(response) ?? []
        assert.ok(codes.length > 0, `${name} ${status}`)
        const examples = Object.keys(response.content['application/json'].examples)
        assert.deepEqual(examples, codes, `${name} ${status}`)
        for (const code of codes) {
          if (code === 'malformed_request') assert.ok([400, 408, 431].includes(Number(status)))
          else assert.equal(statusOf(code), Number(status), code)
        }
      }
      const everywhere = ['400', '408', '431', '500', '503', ...(method === 'GET' ? [] : ['413', '415'])]
      for (const status of everywhere) assert.ok(status in responses, `${name} ${status}`)
      assert.equal('429' in responses, !name.includes('/api/health'), name)
    }
    assert.deepEqual(document.components.schemas.Problem.properties.code.enum.toSorted(), problemCodes.toSorted())
  })

  it('declares WWW-Authenticate with 401 and Retry-After with 429 and 503', () => {
    for (const { name, responses } of operations)
      for (const [status, { headers }] of Object.entries<Json>(responses)) {
        assert.ok(headers['x-request-id'].required && headers['Cache-Control'].required, name)
        assert.equal('WWW-Authenticate' in headers, status === '401', name)
        const isWriteUnderWay = status === '409' && !name.startsWith('GET')
        assert.equal('Retry-After' in headers, ['429', '503'].includes(status) || isWriteUnderWay, name)
        assert.equal('RateLimit' in headers, !name.includes('/api/health'), name)
      }
  })

  it('has no broken references, no unused components and no duplicates', () => {
    const { securitySchemes: _, ...components } = document.components
    const there = Object.entries<Json>(components).flatMap(([kind, parts]) =>
      Object.keys(parts).map((name) => `#/components/${kind}/${name}`),
    )
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference)
    assert.deepEqual([...new Set(references)].sort(), there.sort())
    for (const parts of Object.values<Json>(components)) {
      const texts = Object.values(parts).map((part) => JSON.stringify(part))
      assert.deepEqual(texts, [...new Set(texts)])
    }
    assert.doesNotMatch(JSON.stringify(document), /"\$defs"|"\$schema"|"id":"[A-Z]/)
  })

  it('has valid examples of every body', () => {
    const ajv = addFormats.default(new Ajv2020({ strict: false }))
    for (const { name, requestBody, responses } of operations)
      for (const { content } of [...(requestBody ? [requestBody] : []), ...Object.values<Json>(responses)]) {
        const { schema: text, example: lines } = content?.['application/x-ndjson'] ?? {}
        for (const line of lines?.trim().split('\n') ?? [])
          assert.ok(ajv.validate(text.contentSchema, JSON.parse(line)), `${name}: ${line} ${ajv.errorsText()}`)
        if (!content?.['application/json']) continue // Unchanged, or a download.
        const { schema, example, examples = {} } = content['application/json']
        const bodies = [...(example ? [example] : []), ...Object.values<Json>(examples).map(({ value }) => value)]
        assert.ok(bodies.length > 0, name)
        for (const body of bodies) {
          assert.ok(ajv.validate(schema, body), `${name}: ${JSON.stringify(body)} ${ajv.errorsText()}`)
          assert.doesNotMatch(JSON.stringify(body), /"text"/, `${name}: teach openapi/field-examples.ts this field`)
        }
      }
  })
})

const codesOf = (response: Json): ProblemCode[] | undefined =>
  response?.content['application/json'].schema.allOf[1].properties.code.enum

/** `GET /api/auth/me` … from the tree that Fastify prints. */
function routesIn(tree: string): string[] {
  const path: string[] = []
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', part = '', methods] = /^((?:[│ ] {3})*)[├└]── (.*?)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? []
    path.length = indent.length / 4
    path.push(part)
    const url = path.join('').replace(/:(\w+)/g, '{$1}')
    return methods?.split(', ').map((method) => `${method} ${url}`) ?? []
  })
}
