import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'
import type { z } from 'zod'
import { isEntrusted } from '../src/access/freshness.ts'
import type { Permission } from '../src/access/permissions.ts'
import type { CompanyAccess } from '../src/access/requirements.ts'
import { readConfig } from '../src/config/config.ts'
import { createAccessChecks } from '../src/http/check-access.ts'
import { createIdempotencyStore } from '../src/http/idempotency/store.ts'
import { unlimited } from '../src/http/limits/limits.ts'
import { OpenApiDocument } from '../src/http/openapi/document.ts'
import type { AnyDeclaration } from '../src/http/route-definition.ts'
import { createApi } from '../src/http/routes.ts'
import { serializer, validatorCompiler } from '../src/http/schemas.ts'
import { createServer } from '../src/http/server.ts'
import { SessionCookie } from '../src/http/session-cookie.ts'
import { createTokenVerifier } from '../src/http/token-verifier.ts'
import { newId } from '../src/lib/ids.ts'
import type { Problem } from '../src/problems.ts'
import { createLog } from '../src/process/log.ts'
import { useTestApp } from './support/app.ts'
import { type Json, operationsOf } from './support/documents.ts'
import { joinWith } from './support/members.ts'
import { assertProblem, type Person, signUp } from './support/people.ts'
import { partsOf, sampleOf } from './support/schemas.ts'
import { sendSlowly } from './support/slow-body.ts'

interface Route {
  /** Such as `POST /api/auth/login`. */
  name: string
  method: string
  /** Below `/api`, with an id for every parameter. */
  path: string
  declaration: AnyDeclaration
  answer: z.ZodType
}

const declaring = mock.method(OpenApiDocument.prototype, 'add')
const service = await useTestApp()
const ann = await signUp(service.client)
const bob = await signUp(service.client)
const routes: Route[] = declaring.mock.calls.map(({ arguments: [method, url, declaration, answer] }) => ({
  name: `${method} ${url}`,
  method,
  path: url.replace('/api', '').replace(/:\w+/g, newId),
  declaration,
  answer,
}))

const signedIn = () => routes.filter(({ declaration }) => declaration.access !== 'anyone')
const inCompanies = () => routes.filter(({ declaration }) => typeof declaration.access === 'object')

describe('every route below /api', () => {
  it('is declared, so that its access is checked and it is documented', () => {
    const found = routesIn(service.app.printRoutes({ commonPrefix: false })).filter(
      (name) => / \/api\//.test(name) && !/^HEAD|\/api\/docs/.test(name),
    )
    assert.deepEqual(found.sort(), routes.map(({ name }) => name).sort())
    assert.ok(found.length > 15)
    for (const { name, declaration } of routes) assert.ok(declaration.access && declaration.action, name)
  })

  it('asks a fresh session for nothing that an older one could give to another account', () => {
    const guarded = inCompanies().flatMap(({ declaration: { access, fresh, ownerOnly } }) =>
      fresh && !ownerOnly ? [(access as CompanyAccess).company] : [],
    )
    const permissions = guarded.filter((needed) => needed.includes(':')) as Permission[]
    assert.ok(permissions.length > 5)
    assert.deepEqual(
      permissions.filter((permission) => !isEntrusted(permission)),
      [],
    )
  })

  it('stops the start when it declares no access or no action', async () => {
    const config = readConfig({ NODE_ENV: 'test', APP_SECRET: 'a-secret-of-more-than-32-characters' })
    const log = createLog('silent')
    const app = await createServer({ config, log, limits: unlimited, onRefused: async () => {} })
    const idempotency = createIdempotencyStore(service.database, service.keys)
    const parts = {
      database: service.database,
      access: createAccessChecks(service.database, createTokenVerifier(service.keys)),
      idempotency,
      sessionCookie: new SessionCookie(config, service.keys),
      document: new OpenApiDocument(),
    }
    const api = createApi(app, { ...parts, validateResponses: true })
    const sound = routes[0]?.declaration as AnyDeclaration
    const declare = (lacking: 'access' | 'action') => () =>
      api.get(`/without-${lacking}`, { ...sound, [lacking]: undefined } as never, async () => ({}) as never)
    assert.throws(declare('access'))
    assert.throws(declare('action'), /declares no access or no action/)
    assert.throws(() => app.get('/api/plain', async () => ({})), /declares no access or no action/)
    await app.close()
  })

  it('that is not public refuses a request without a valid token before anything else', async () => {
    const garbage = [
      'x',
      'a.b.c',
      `${ann.accessToken}x`,
      ann.accessToken.replace(/\w$/, (last) => (last === 'A' ? 'B' : 'A')),
      ann.refreshToken,
      `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')}.${ann.accessToken.split('.')[1]}.`,
    ]
    for (const { method, path } of signedIn()) {
      const answer = await service.client.send(method, path)
      assertProblem(answer, 401, 'token_missing')
      assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer/)
      assert.deepEqual(Object.keys(answer.body).sort(), ['code', 'error', 'message', 'statusCode'])
      for (const token of garbage) {
        assertProblem(await service.client.send(method, path, undefined, { token }), 401, 'token_invalid')
        const body = method === 'GET' ? undefined : { x: 1 }
        assertProblem(await service.client.send(method, `${path}?page=x`, body, { token }), 401, 'token_invalid')
      }
    }
  })

  it('that changes something refuses a session that ended while a body came which the route does not need', async () => {
    const withoutBody = signedIn().filter(({ method, declaration: { request } }) => method !== 'GET' && !request?.body)
    for (const { name, method, path } of withoutBody)
      for (const idempotencyKey of [undefined, newId()]) {
        const person = await signUp(service.client)
        const meanwhile = () => person.api.post('/auth/logout', { refreshToken: person.refreshToken })
        const named = path.includes('/companies/') ? path.replace(SOME_ID, person.company.id) : path
        const request = { method, path: named, body: {}, ...(idempotencyKey && { idempotencyKey }), meanwhile }
        assert.equal((await sendSlowly(service, person, request)).statusCode, 401, name)
      }
    assert.ok(withoutBody.length > 20)
  })

  it('of a company refuses a missing company, a stranger and a missing permission', async () => {
    await makePowerless(bob)
    for (const { name, method, path, declaration } of inCompanies()) {
      const {
        company: permission,
        sameAs,
        at,
      } = declaration.access as { company: string; sameAs?: string | undefined; at?: string | undefined }
      if (at) continue
      const send = (company: string | undefined) =>
        service.client.send(method, sameAs ? path.replace(SOME_ID, bob.company.id) : path, undefined, {
          token: bob.accessToken,
          company,
        })
      for (const company of [undefined, '', 'x', `{${bob.company.id}}`, `${bob.company.id},${bob.company.id}`])
        assertProblem(await send(company), 400, 'company_header_missing')
      for (const company of [ann.company.id, newId()]) assertProblem(await send(company), 403, 'not_a_member')
      const answer = await send(bob.company.id)
      assertProblem(answer, 403, 'permission_missing')
      assert.equal(answer.body.required, permission, name)
    }
    assert.ok(inCompanies().length > 5)
  })

  it('of a company refuses every member while the company is suspended, except one who leaves', async () => {
    const owner = await signUp(service.client)
    const powerless = await joinWith(owner, await signUp(service.client), [])
    await service.db.query('update companies set suspended_at = now() where id = $1', [owner.company.id])
    for (const { method, path, declaration } of inCompanies()) {
      const { company, at, sameAs } = declaration.access as CompanyAccess
      const named = at || sameAs ? path.replace(SOME_ID, owner.company.id) : path
      if (company === 'any membership') {
        assertProblem(await owner.api.send(method, named), 422, 'last_owner')
        continue
      }
      for (const person of [owner, powerless])
        assertProblem(await person.api.send(method, named), 403, 'company_suspended')
      const stranger = await bob.api.with({ company: owner.company.id }).send(method, named)
      assertProblem(stranger, at ? 404 : 403, at ? 'company_not_found' : 'not_a_member')
    }
  })

  it('with a company in its path is not found for a stranger with any x-company-id', async () => {
    const named = inCompanies().filter(({ declaration }) => (declaration.access as { at?: string }).at)
    for (const { name, method, path, declaration } of named) {
      const { company: permission } = declaration.access as { company: string }
      const send = (id: string) =>
        service.client.send(method, path.replace(SOME_ID, id), undefined, {
          token: bob.accessToken,
          company: bob.company.id,
        })
      for (const id of [ann.company.id, newId()]) assertProblem(await send(id), 404, 'company_not_found')
      for (const id of ['x', '%7B0%7D']) assertProblem(await send(id), 400, 'validation_failed')
      if (['membership', 'any membership'].includes(permission)) continue
      const answer = await send(bob.company.id)
      assertProblem(answer, 403, 'permission_missing')
      assert.equal(answer.body.required, permission, name)
    }
  })
})

const SOME_ID = /[0-9a-f]{8}-[0-9a-f-]{27}/

/** Takes all permissions of a person in the own company away. */
async function makePowerless({ id, company }: Person): Promise<void> {
  const otherId = newId()
  await service.db.query(`
    insert into accounts (id, email, name) values ('${otherId}', '${otherId}@example.com', 'Other');
    insert into memberships (company_id, account_id, opened_at) values ('${company.id}', '${otherId}', now());
    insert into membership_roles (company_id, account_id, role_id)
      select company_id, '${otherId}', role_id from membership_roles where company_id = '${company.id}' limit 1;
    insert into roles (company_id, id, name, name_folded, permissions)
      values ('${company.id}', '${otherId}', 'Powerless', 'powerless', '{}');
    update membership_roles set role_id = '${otherId}' where company_id = '${company.id}' and account_id = '${id}'`)
}

/** `GET /api/health` and so on, from the tree that the router prints. */
function routesIn(tree: string): string[] {
  const parents: string[] = []
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', label = '', methods = ''] = /^([│ ]*)[├└]── (\S+)(?: \((.*)\))?$/.exec(line) ?? []
    const depth = indent.length / 4
    parents[depth] = label
    const url = parents.slice(0, depth + 1).join('')
    return methods.split(', ').map((method) => `${method} ${url}`)
  })
}

describe('every request', () => {
  it('is bounded: each string and list has a maximum length, and no object is open', () => {
    const unbounded: string[] = []
    for (const { name: operation, parameters, requestBody } of operationsOf(service.document)) {
      for (const { name, schema } of parameters) unbounded.push(...openPlaces(schema, `${operation} ${name}`))
      if (requestBody)
        unbounded.push(...openPlaces(requestBody.content['application/json'].schema, `${operation} body`))
    }
    assert.deepEqual(unbounded, [])
  })

  it('is distinguished from unbounded samples', () => {
    for (const schema of [
      { type: 'string' },
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
      { type: 'array', items: { type: 'string', maxLength: 5 } },
      { type: 'array', items: { type: 'string' }, maxItems: 5 },
      { type: 'object', properties: { a: { type: 'object', additionalProperties: {} } } },
      {},
    ])
      assert.notDeepEqual(openPlaces(schema, 'x'), [])
  })

  it('with a guess at a secret is another one than with another guess, whatever its Idempotency-Key', () => {
    const guesses = /^(currentPassword|code|recoveryCode|credential|emailCode)$/
    const isGuess = (body: z.ZodType) => {
      const names = [...partsOf(body)].map(({ path }) => lastOf(path))
      return names.some((field) => guesses.test(field)) || (names.includes('password') && !names.includes('name'))
    }
    const guessing = routes.filter(
      ({ path, declaration: { request } }) => request?.body && isGuess(request.body) && !path.includes('/branches'),
    )
    for (const { name, declaration } of guessing) assert.equal(declaration.idempotency?.keyIncludesBody, true, name)
    assert.ok(guessing.length > 12, String(guessing.length))
  })

  it('has no defaults in the body of a PATCH', () => {
    for (const { name, method, declaration } of routes) {
      const { body } = declaration.request ?? {}
      const parts = body && ['PATCH', 'PUT'].includes(method) ? [...partsOf(body)] : []
      const defaults = parts.filter(({ type }) => ['default', 'prefault', 'catch'].includes(type))
      assert.deepEqual(
        defaults.map(({ path }) => path),
        [],
        name,
      )
    }
    assert.ok(routes.some(({ method, declaration }) => method === 'PATCH' && declaration.request?.body))
  })
})

/** The unbounded positions of a JSON schema. */
function openPlaces(schema: Json, path: string): string[] {
  const { type, properties = {}, items, additionalProperties, const: constant } = schema
  if (schema.enum || constant !== undefined) return []
  const branches = [schema.anyOf, schema.oneOf, schema.allOf].flat().filter(Boolean) as Json[]
  // Those of an object say which of its properties go together.
  if (branches.length > 0 && type !== 'object') return branches.flatMap((branch) => openPlaces(branch, path))
  if (type === 'object') {
    const inner = Object.entries(properties as Record<string, Json>)
    const open = typeof additionalProperties === 'object' ? [`${path}.*`] : []
    return [...open, ...inner.flatMap(([key, property]) => openPlaces(property, `${path}.${key}`))]
  }
  if (type === 'array')
    return [...(schema.maxItems === undefined ? [path] : []), ...openPlaces((items ?? {}) as Json, `${path}[]`)]
  const types = [type].flat()
  if (types.includes('string')) return isBounded(schema) ? [] : [path]
  return types.every((each) => ['number', 'integer', 'boolean', 'null'].includes(each as string)) ? [] : [path]
}

const isBounded = ({ maxLength, format, pattern }: Json) =>
  maxLength !== undefined || ['uuid', 'date-time'].includes(format as string) || /^\^[^*+]*\$$/.test(String(pattern))

/** The strings of an answer whose names mark them as secrets. */
const secretsIn = (answer: z.ZodType) =>
  [...partsOf(answer)]
    .filter(
      ({ path, type }) => type === 'string' && /(token|password|secret|link|recovery|otp|key$)/i.test(lastOf(path)),
    )
    .map(({ path }) => path)

const lastOf = (path: string) => path.split('.').at(-1) as string

describe('every refusal of a request', () => {
  const LONG = 'x'.repeat(50_000)
  const WRONG = [
    undefined,
    null,
    7,
    -1,
    1.5,
    1e300,
    true,
    '',
    ' ',
    'x',
    '\0',
    LONG,
    [],
    [7],
    ['x'],
    Array(500).fill('x'),
  ]
  const OF_THE_LIBRARY = /invalid|expected|received|too (small|big)|unrecognized|>=|<=|regex|pattern|"/i

  it('has one plain sentence for each field, never a message of the library', () => {
    const said = new Set<string>()
    for (const { name, declaration } of routes) {
      const { params, query: querystring, body } = declaration.request ?? {}
      for (const [part, schema] of Object.entries({ params, querystring, body })) {
        if (!schema) continue
        const fields = Object.keys((schema as z.ZodObject).shape ?? {})
        const wholes = part === 'body' ? WRONG : []
        const wrongs = WRONG.map((wrong) => Object.fromEntries(fields.map((field) => [field, wrong])))
        for (const value of [...wholes, ...wrongs, {}]) {
          for (const { path, message } of refusalsOf(schema, value)) {
            assert.match(message, /^(is|must|has|can|can’t|contains) [^\n]+$/, `${name} ${path}: ${message}`)
            assert.doesNotMatch(message, OF_THE_LIBRARY, `${name} ${path}: ${message}`)
            said.add(message)
          }
        }
      }
    }
    for (const message of ['is required', 'must be text', 'must be a list', 'must be a UUID'])
      assert.ok(said.has(message))
  })

  it('is not caused by an empty optional parameter of a read; an empty parameter of a write is refused', () => {
    const queries = routes.filter(({ declaration }) => declaration.request?.query)
    for (const { name, method, declaration } of queries) {
      const schema = declaration.request?.query as z.ZodType
      const fields = Object.keys((schema as z.ZodObject).shape)
      const leftOut = refusalsOf(schema, {}, method)
      const empty = refusalsOf(schema, Object.fromEntries(fields.map((field) => [field, ''])), method)
      if (method !== 'GET') {
        assert.deepEqual(empty.map(({ path }) => path).sort(), fields.sort(), name)
        continue
      }
      assert.deepEqual(empty, leftOut, name)
      for (const { message } of empty) assert.equal(message, 'is required', name)
    }
    assert.ok(queries.length > 5)
  })
})

/** The validation errors of a value, one for each field. */
function refusalsOf(schema: z.ZodType, value: unknown, method = 'POST'): { path: string; message: string }[] {
  const result = validatorCompiler({ schema, method, httpPart: 'querystring' })(value)
  if (!('error' in result)) return []
  const { details = [] } = (result.error as Problem).context
  assert.ok(details.length > 0)
  assert.equal(new Set(details.map(({ path }) => path)).size, details.length)
  return details
}

describe('every answer', () => {
  const REFUSED = ['transform', 'pipe', 'prefault', 'catch', 'any', 'unknown', 'custom', 'date', 'open object']

  it('has a schema that lists all fields that may be sent', () => {
    for (const { name, answer } of routes) {
      const unfit = [...partsOf(answer)].filter(({ type }) => REFUSED.includes(type))
      assert.deepEqual(
        unfit.map(({ path, type }) => `${path}: ${type}`),
        [],
        name,
      )
    }
  })

  it('with a secret declares how long it may be replayed', () => {
    const kept = routes.filter(({ method }) => method !== 'GET')
    const withSecret = kept.filter(({ answer }) => secretsIn(answer).length > 0)
    for (const { name, answer, declaration } of withSecret)
      assert.ok(
        declaration.idempotency?.secret ?? declaration.idempotency?.handledByRule,
        `${name}: ${secretsIn(answer)}`,
      )
    assert.ok(withSecret.length > 3)
    // A replay after the loss of access has no time limit.
    for (const { name, answer, declaration } of kept.filter(
      (route) => route.declaration.idempotency?.replayAfterAccessLoss,
    ))
      assert.deepEqual([declaration.request?.body, ...secretsIn(answer)], [undefined], name)
  })

  it('with a refresh token, or a request with one, declares what it does with the session cookie', () => {
    const has = (schema: z.ZodType | undefined, field: string) =>
      schema !== undefined && [...partsOf(schema)].some(({ path }) => lastOf(path) === field)
    for (const { name, answer, declaration } of routes) {
      const { request: { body } = {}, sessionCookie } = declaration
      const [gives, takes] = [has(answer, 'refreshToken'), has(body, 'refreshToken')]
      const expected = gives ? (takes ? 'refreshes' : 'opens') : takes ? 'ends' : undefined
      assert.equal(sessionCookie, expected, name)
      assert.equal(has(body, 'sessionIn'), sessionCookie === 'opens', name)
    }
    const uses = routes.flatMap(({ declaration }) => declaration.sessionCookie ?? [])
    assert.deepEqual(uses.sort(), ['ends', 'opens', 'opens', 'opens', 'opens', 'opens', 'refreshes'])
  })

  it('without a secret declares no such limit', () => {
    for (const { name, answer, declaration } of routes)
      if (declaration.idempotency?.secret) assert.notDeepEqual(secretsIn(answer), [], name)
  })

  it('is serialized with and without optional and null fields, and without undeclared ones', () => {
    for (const { name, answer } of routes) {
      const write = serializer(answer, { validate: true })
      for (const wishes of [{}, { nulls: true }, { bare: true }, { nulls: true, bare: true }]) {
        const plain = sampleOf(answer, wishes)
        assert.deepEqual(JSON.parse(write(plain)), plain, name)
        assert.deepEqual(JSON.parse(write(sampleOf(answer, { ...wishes, undeclared: true }))), plain, name)
      }
    }
  })
})
