import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { z } from 'zod'
import { useTestApp } from '../../test/support/app.ts'
import { startSmallApp } from '../../test/support/http.ts'
import { join, rolesOf } from '../../test/support/members.ts'
import { assertProblem, type Person, signUp } from '../../test/support/people.ts'

const service = await useTestApp()
const ann = await signUp(service.client)
const small = await startSmallApp(service, (api) => {
  const shared = {
    access: { company: 'companies:update' },
    docs: { operationId: 'sign', summary: 'The sign over the door' },
    response: { data: z.object({ name: z.string() }) },
    version: { etag: true },
  } as const
  api.get('/sign', { ...shared, action: 'branches.list' }, ({ tx }) =>
    tx.selectFrom('companies').select('name').executeTakeFirstOrThrow(),
  )
  api.patch(
    '/sign',
    {
      ...shared,
      action: 'branches.update',
      request: { body: z.object({ name: z.string().max(50) }) },
      version: {
        etag: true,
        current: ({ tx }) => tx.selectFrom('companies').select('name').executeTakeFirstOrThrow(),
      },
    },
    ({ tx, body }) => tx.updateTable('companies').set(body).returning('name').executeTakeFirstOrThrow(),
  )
})
const client = small.client.with({ token: ann.accessToken, company: ann.company.id })
after(() => small.close())

const read = (headers: Record<string, string> = {}) => client.get('/sign', { headers })
const tag = async () => (await read()).headers.get('etag') as string
const rename = (name: string, headers: Record<string, string> = {}) => client.patch('/sign', { name }, { headers })

describe('an ETag', () => {
  it('is strong, and the same as long as nothing changes', async () => {
    const answer = await read()
    assert.match(answer.headers.get('etag') ?? '', /^"[\w-]{27}"$/)
    assert.equal(answer.headers.get('cache-control'), 'private, no-cache')
    assert.equal(await tag(), answer.headers.get('etag'))
  })

  it('changes with the resource, and a write returns the new one', async () => {
    const before = await tag()
    const written = await rename('Another name')
    assert.notEqual(written.headers.get('etag'), before)
    assert.equal(written.headers.get('etag'), await tag())
  })
})

describe('If-None-Match', () => {
  it('is answered with 304 without a body for the current state, in every spelling of the header', async () => {
    const etag = await tag()
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const answer = await read({ 'if-none-match': known })
      assert.deepEqual([answer.status, answer.body], [304, ''], known)
      assert.equal(answer.headers.get('etag'), etag)
      assert.ok(answer.headers.get('x-request-id'))
    }
    for (const other of ['"other"', etag.slice(1, -1), '', etag.toUpperCase()])
      assert.equal((await read({ 'if-none-match': other })).status, 200, other)
  })
})

describe('If-Match', () => {
  it('allows an update of the current state, and updates without the header', async () => {
    for (const [name, headers] of [
      ['one', { 'if-match': await tag() }],
      ['two', {}],
      ['three', { 'if-match': '*' }],
    ] as const)
      assert.equal((await rename(name, headers)).status, 200)
    const etag = await tag()
    assert.equal((await rename('four', { 'if-match': `"other", ${etag}` })).status, 200)
  })

  it('refuses an update of any other state, and changes nothing', async () => {
    const stale = await tag()
    await rename('Meanwhile')
    const now = await tag()
    for (const seen of [stale, '"other"', `W/${now}`, '', now.slice(1, -1)])
      assertProblem(await rename('Too late', { 'if-match': seen }), 412, 'version_mismatch')
    assert.equal((await read()).body.data.name, 'Meanwhile')
  })

  it('allows one of twenty parallel updates', async () => {
    for (let round = 0; round < 5; round++) {
      const etag = await tag()
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => rename(`${round} ${i}`, { 'if-match': etag })),
      )
      const statuses = answers.map(({ status }) => status).sort()
      assert.deepEqual(statuses, [200, ...Array<number>(19).fill(412)])
    }
  })

  it('is checked after access: a missing permission is reported first', async () => {
    const bob = await join(ann, await signUp(service.client))
    const answer = await small.client.patch(
      '/sign',
      { name: 'x' },
      { token: bob.accessToken, company: ann.company.id, headers: { 'if-match': '"other"' } },
    )
    assertProblem(answer, 403, 'permission_missing')
  })
})

describe('x-permissions-version', () => {
  const version = async (person: Person) =>
    (await person.api.get('/companies/roles')).headers.get('x-permissions-version') as string

  it('is on every answer of a company including refusals, and on no other', async () => {
    const carl = await join(ann, await signUp(service.client))
    const held = await version(carl)
    assert.match(held, /^[\w-]{16}$/)
    const refused = await carl.api.post('/companies/users', {})
    assert.equal(refused.headers.get('x-permissions-version'), held)
    assert.equal((await carl.api.get('/auth/me')).headers.get('x-permissions-version'), null)
  })

  it('changes exactly when the permissions of the member change', async () => {
    const dora = await join(ann, await signUp(service.client))
    const roles = await rolesOf(ann)
    const asMember = await version(dora)
    await ann.api.patch(`/companies/users/${dora.id}`, { phone: '1' })
    assert.equal(await version(dora), asMember)
    await ann.api.patch(`/companies/users/${dora.id}`, { roleIds: [roles.Manager] })
    assert.notEqual(await version(dora), asMember)
    await ann.api.patch(`/companies/users/${dora.id}`, { roleIds: [roles.Member] })
    assert.equal(await version(dora), asMember)
  })

  it('differs between an owner and a member with all permissions', async () => {
    const emil = await join(ann, await signUp(service.client))
    const { permissions } = (await ann.api.get('/companies/roles?search=owner')).body.data[0]
    const everything = await ann.api.post('/companies/roles', { name: 'Everything', permissions })
    await ann.api.patch(`/companies/users/${emil.id}`, { roleIds: [everything.body.data.id] })
    const before = await version(emil)
    await ann.api.patch(`/companies/users/${emil.id}`, { roleIds: [(await rolesOf(ann)).Owner] })
    assert.notEqual(await version(emil), before)
  })
})
