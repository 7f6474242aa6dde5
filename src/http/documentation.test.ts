import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startTestApp, type TestApp } from '../../test/support/app.ts'
import { buildApp } from '../app.ts'
import { readConfig } from '../config.ts'
import { createHashing } from '../lib/hashing.ts'
import { createLog } from '../log.ts'
import { problemCodes } from '../problems.ts'
import { exchange, rawRequest } from './testing.ts'

let service: TestApp
before(async () => {
  service = await startTestApp()
})
after(() => service.close())

const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
const READER = basic('docs', 'docs-password')
const read = (path: string, authorization?: string) =>
  fetch(service.address + path, { headers: authorization ? { authorization } : {}, redirect: 'manual' })

const ASSETS = [
  'swagger-ui.css',
  'index.css',
  'swagger-ui-bundle.js',
  'swagger-ui-standalone-preset.js',
  'swagger-initializer.js',
]
const EVERYTHING = [
  '/api/docs',
  '/api/docs/',
  '/api/docs-json',
  '/api/docs/json',
  '/api/docs/yaml',
  ...ASSETS.map((name) => `/api/docs/static/${name}`),
]

describe('the documentation', () => {
  for (const path of EVERYTHING) {
    it(`opens to its reader and to nobody else: ${path}`, async () => {
      const open = await read(path, READER)
      assert.equal(open.status, 200)
      assert.ok((await open.text()).length > 0)
      const refused = await read(path)
      assert.equal(refused.status, 401)
      assert.equal(refused.headers.get('www-authenticate'), 'Basic realm="Tenantry", charset="UTF-8"')
      assert.equal(((await refused.json()) as { code: string }).code, 'documentation_credentials_wrong')
      assert.equal((await read(path, basic('docs', 'wrong'))).status, 401)
    })
  }

  const wrong = [
    basic('docs', ''),
    basic('', 'docs-password'),
    basic('DOCS', 'docs-password'),
    basic('docs', 'docs-password '),
    basic('docs:docs-password', ''),
    'Basic',
    'Basic ',
    'Basic !!!!',
    'Bearer x',
    READER.replace('Basic ', ''),
    READER.replace('Basic', 'Basicx'),
    `${READER} ${READER}`,
    `Basic ${'A'.repeat(10_000)}`,
  ]
  for (const authorization of wrong) {
    it(`refuses wrong credentials: ${authorization.slice(0, 50)}`, async () => {
      assert.equal((await read('/api/docs-json', authorization)).status, 401)
    })
  }

  it('takes the scheme in any letter case', async () => {
    for (const scheme of ['basic', 'BASIC', 'bAsIc', 'Basic ']) {
      assert.equal((await read('/api/docs-json', READER.replace('Basic', scheme))).status, 200)
    }
  })

  it('is a page whose policy allows its own files and nothing else', async () => {
    const page = await read('/api/docs', READER)
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
    const policy = page.headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'self'/)
    assert.doesNotMatch(policy, /script-src[^;]*unsafe|unsafe-eval|\*|https?:/)
    const html = await page.text()
    assert.doesNotMatch(html, /<script[^>]*>[^<\s]|<script[^>]*src="(https?:)?\/\//)
    for (const [, file] of html.matchAll(/(?:src|href)="([^"]+)"/g)) {
      const url = new URL(file as string, `${service.address}/api/docs`)
      assert.equal((await read(url.pathname, READER)).status, 200, url.pathname)
    }
    assert.match(
      (await read('/api/docs-json', READER)).headers.get('content-security-policy') ?? '',
      /^default-src 'none'/,
    )
  })

  const elsewhere = [
    '/api/docs/static/../package.json',
    '/api/docs/static/%2e%2e/package.json',
    '/api/docs/static/..%2f..%2fpackage.json',
    '/api/docs/static/..%5cpackage.json',
    '/api/docs/static/%00',
    '/api/docs/static/.hidden',
    '/api/docs/static/nothing.js',
    '/api/docs/nothing',
  ]
  for (const path of elsewhere) {
    it(`has no other files: ${path}`, async () => {
      // As it is: fetch tidies paths.
      const [answer] = await exchange(service.address, rawRequest(`GET ${path}`, { authorization: READER }))
      assert.equal(answer?.status, 404)
    })
  }

  it('refuses a part of a file or a condition that is impossible, as a request and not as a fault', async () => {
    for (const headers of [{ range: 'bytes=99999999-' }, { 'if-match': '"x"' }, { range: 'bytes=9-1,x' }]) {
      const answer = await fetch(`${service.address}/api/docs/static/index.css`, {
        headers: { authorization: READER, ...headers },
      })
      assert.ok([200, 206, 400].includes(answer.status), String(answer.status))
    }
  })

  it('is not there at all where it is switched off', async () => {
    const config = readConfig({
      NODE_ENV: 'test',
      APP_SECRET: 'a-secret-that-no-test-asks-for-01',
      SWAGGER_ENABLED: 'false',
    })
    assert.equal(config.documentation, undefined)
    const { database, keys } = service
    const parts = { config, database, keys, hashing: await createHashing(), log: createLog('silent') }
    const { app } = await buildApp({ ...parts, mailIsHealthy: () => true })
    for (const url of EVERYTHING) {
      const answer = await app.inject({ url, headers: { authorization: READER } })
      assert.deepEqual([answer.statusCode, answer.json().code], [404, 'route_not_found'], url)
    }
    await app.close()
  })
})

// biome-ignore lint/suspicious/noExplicitAny: a document is looked at the way a generator of clients does.
type Json = any

describe('the document', () => {
  let document: Json
  let operations: [string, string, Json][]
  before(async () => {
    document = await (await read('/api/docs-json', READER)).json()
    operations = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
      Object.entries<Json>(methods).map(([method, operation]): [string, string, Json] => [method, path, operation]),
    )
  })

  it('is the same wherever it is asked for, and is OpenAPI 3.1', async () => {
    assert.deepEqual(await (await read('/api/docs/json', READER)).json(), document)
    assert.deepEqual(JSON.parse(JSON.stringify(service.document)), document)
    assert.equal(document.openapi, '3.1.0')
    for (const key of ['title', 'version', 'description']) assert.equal(typeof document.info[key], 'string')
  })

  it('lists every route of the service, and none that is not there', () => {
    const served = routesIn(service.app.printRoutes({ commonPrefix: false }))
    assert.deepEqual(
      operations.map(([method, path]) => `${method.toUpperCase()} ${path}`).sort(),
      served.filter((route) => /^(?!HEAD)\w+ \/api\/(?!docs)/.test(route)).sort(),
    )
  })

  it('names every operation once, with a summary, a tag and who may call it', () => {
    const names = operations.map(([, , { operationId }]) => operationId)
    assert.deepEqual(names, [...new Set(names)])
    for (const [method, path, operation] of operations) {
      assert.match(operation.operationId, /^[a-z][A-Za-z]+$/)
      assert.ok(operation.summary.length > 5, path)
      assert.deepEqual(operation.tags, [path.split('/')[2]])
      assert.ok(document.tags.some(({ name }: { name: string }) => name === operation.tags[0]))
      assert.ok(Array.isArray(operation.security), `${method} ${path}`)
    }
    assert.deepEqual(document.components.securitySchemes.accessToken, {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
    })
  })

  it('asks for a token exactly where the service does', async () => {
    for (const [method, path, { security }] of operations) {
      const { status, body } = await service.client.send(method.toUpperCase(), path.replace('/api', ''))
      assert.equal(body.code === 'token_missing', security.length > 0, `${method} ${path} ${status}`)
    }
  })

  it('asks for x-company-id and names the permission exactly on company routes', () => {
    for (const [method, path, operation] of operations) {
      const header = operation.parameters.find(({ name }: { name: string }) => name === 'x-company-id')
      assert.equal(operation['x-permission'] !== undefined, header !== undefined, `${method} ${path}`)
      if (!header) continue
      assert.deepEqual([header.in, header.required, header.schema.format], ['header', true, 'uuid'])
      assert.match(operation.responses[403].description, /permission_missing/)
      assert.match(operation.responses[400].description, /company_header_missing/)
    }
  })

  it('declares every parameter of every path, and no other', () => {
    for (const [method, path, { parameters }] of operations) {
      const inPath = parameters.filter((parameter: Json) => parameter.in === 'path')
      const names = inPath.map(({ name }: { name: string }) => name)
      assert.deepEqual(
        names.sort(),
        [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort(),
        `${method} ${path}`,
      )
      assert.ok(inPath.every(({ required }: { required: boolean }) => required))
      const all = parameters.map((parameter: Json) => `${parameter.in} ${parameter.name}`)
      assert.equal(new Set(all).size, all.length)
      for (const parameter of parameters) assert.equal(typeof parameter.schema, 'object')
    }
  })

  it('declares a body exactly where one is read', () => {
    for (const [method, path, { requestBody, responses }] of operations) {
      assert.equal(requestBody !== undefined, responses[415] !== undefined, `${method} ${path}`)
      if (!requestBody) continue
      assert.equal(requestBody.required, true)
      assert.ok(requestBody.content['application/json'].schema)
      assert.notEqual(method, 'get')
    }
  })

  const DOWNLOAD = ['/api/companies/audit/export', ['application/x-ndjson', 'text/csv']]

  it('lists one success for each operation, as an envelope, and every refusal by its codes', () => {
    for (const [method, path, { responses, security }] of operations) {
      const where = `${method} ${path}`
      const statuses = Object.keys(responses)
      assert.equal(statuses.filter((status) => status.startsWith('2')).length, 1, where)
      const success = responses[201] ?? responses[200]
      const json = success.content['application/json']
      if (json) {
        assert.deepEqual(json.schema.properties.success, { type: 'boolean', const: true }, where)
        assert.ok(json.schema.required.includes('data'), where)
      } else assert.deepEqual([path, Object.keys(success.content)], DOWNLOAD)
      for (const status of statuses.filter((each) => Number(each) >= 400)) {
        const { content, description } = responses[status]
        assert.deepEqual(content['application/json'].schema, { $ref: '#/components/schemas/Error' })
        for (const [, code] of description.matchAll(/`(\w+)`/g)) assert.ok(problemCodes.includes(code), code)
      }
      for (const status of [429, 500, 503]) assert.ok(responses[status], where)
      if (security.length > 0) assert.match(responses[401].description, /`token_missing`, `token_invalid`/)
    }
    assert.deepEqual(document.components.schemas.Error.properties.code.enum.toSorted(), problemCodes.toSorted())
  })

  it('shows numbers in queries as numbers, with their bounds', () => {
    for (const [, , { parameters }] of operations) {
      for (const { name, schema } of parameters) {
        if (name === 'limit') assert.deepEqual([schema.type, schema.minimum, schema.maximum], ['integer', 1, 100])
        if (name === 'page') assert.deepEqual([schema.type, schema.minimum], ['integer', 1])
      }
    }
  })

  it('refers to nothing that is not in it, and carries nothing that nobody refers to', () => {
    const refs = new Set([...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref as string))
    for (const ref of refs) assert.match(ref, /^#\/components\/schemas\/\w+$/)
    assert.deepEqual(
      [...refs].sort(),
      Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`),
    )
    assert.doesNotMatch(JSON.stringify(document), /"\$defs"|"\$schema"|"id":"/)
  })
})

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
