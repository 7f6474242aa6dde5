import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { z } from 'zod'
import { useTestApp } from '../../test/support/app.ts'
import { ask as askFor, assertRefusal, type RawHeaders, startSmallApp, untilLogged } from '../../test/support/http.ts'
import { assertProblem, type Person, signUp } from '../../test/support/people.ts'
import { newId } from '../lib/ids.ts'

const service = await useTestApp()

const JSON_TYPE = { 'content-type': 'application/json' }
const ask = (line: string, headers?: RawHeaders, body?: string | Buffer) => askFor(service.address, line, headers, body)

describe('the order of checks', () => {
  it('reports an unknown path before a missing token, and a missing token before invalid input', async () => {
    assertRefusal(await ask('PUT /api/nothing', JSON_TYPE, '{torn'), 404, 'route_not_found')
    const bodies: [Record<string, string>, string][] = [
      [JSON_TYPE, '{torn'],
      [JSON_TYPE, '{"name":7}'],
      [JSON_TYPE, ' '.repeat(200_000)],
      [{ 'content-type': 'text/plain' }, 'x'],
    ]
    for (const [headers, body] of bodies) {
      assertRefusal(await ask('PUT /api/auth/profile', headers, body), 401, 'token_missing')
      const bad = { ...headers, authorization: 'Bearer bad' }
      assertRefusal(await ask('PUT /api/auth/profile', bad, body), 401, 'token_invalid')
    }
  })

  it('is as documented on company routes', async () => {
    const app = await startSmallApp(service, (api) => {
      api.put(
        '/things/:id',
        {
          access: { company: 'users:delete' },
          action: 'branches.update',
          docs: { operationId: 'updateThing', summary: 'x' },
          request: { params: z.object({ id: z.uuid() }), body: z.object({ name: z.string() }) },
          response: { data: z.object({ id: z.string() }) },
        },
        async ({ params }) => ({ id: params.id }),
      )
    })
    try {
      const [bob, eve] = [await signUp(service.client), await signUp(service.client)]
      const put = (path: string, body: unknown, options: object) => app.client.put(path, body, options)
      const [good, bad] = [{ name: 'x' }, { name: 7 }]
      const inForce = (yes: boolean) =>
        service.db.query('update sessions set must_change_password = $2 where id = $1', [bob.sessionId, yes])

      assertProblem(await put('/thing/x', bad, {}), 404, 'route_not_found')
      assertProblem(await put('/things/x', bad, { company: 'x' }), 401, 'token_missing')
      await inForce(true)
      assertProblem(
        await put('/things/x', bad, { token: bob.accessToken, company: 'x' }),
        403,
        'password_change_required',
      )
      await inForce(false)
      for (const company of [
        undefined,
        '',
        'x',
        `{${bob.company.id}}`,
        bob.company.id.replaceAll('-', ''),
        `${bob.company.id}, ${bob.company.id}`,
      ]) {
        const answer = await put('/things/x', bad, { token: bob.accessToken, company })
        assertProblem(answer, 400, 'company_header_missing')
      }
      const strangers = await Promise.all(
        [eve.company.id, newId()].map((company) => put('/things/x', bad, { token: bob.accessToken, company })),
      )
      for (const answer of strangers) assertProblem(answer, 403, 'not_a_member')
      assert.deepEqual(strangers[0]?.body, strangers[1]?.body)
      await join(bob, eve.company.id)
      const id = newId()
      const missing = await put(`/things/${id.toUpperCase()}`, bad, { token: bob.accessToken, company: eve.company.id })
      assertProblem(missing, 403, 'permission_missing')
      assert.equal(missing.body.required, 'users:delete')
      await put('/things/%00', bad, { token: bob.accessToken, company: eve.company.id })
      const audited = await service.db.query(
        `select target_id from audit_records where action = 'branches.update' and outcome = 'permission_missing'`,
      )
      assert.deepEqual(audited.map(({ target_id }) => target_id).sort(), ['', id])

      const asEve = { token: eve.accessToken, company: eve.company.id.toUpperCase() }
      assertProblem(await put('/things/x', good, asEve), 400, 'validation_failed')
      assertProblem(await put(`/things/${newId()}`, bad, asEve), 400, 'validation_failed')
      assert.equal((await put(`/things/${newId()}`, good, asEve)).status, 200)
    } finally {
      await app.close()
    }
  })
})

/** Makes a person a member with the role Member. */
async function join(person: Person, companyId: string): Promise<void> {
  await service.db.query(`insert into memberships (company_id, account_id) values ($1, $2)`, [companyId, person.id])
  await service.db.query(
    `insert into membership_roles (company_id, account_id, role_id)
      select company_id, $2, id from roles where company_id = $1 and system_key = 'member'`,
    [companyId, person.id],
  )
}

describe('an internal error', () => {
  const secrets = ['Hidden-horse-9', 'token-in-the-query', 'bearer-of-nothing', 'row-of-the-database']

  it('is 500 internal_error without details; the log has the stack and no secret', async () => {
    const faults = [
      async () => {
        throw new TypeError('the handler broke')
      },
      async () => {
        throw undefined
      },
      async () => {
        await service.db.query(`select $1::text::uuid`, ['row-of-the-database'])
      },
    ]
    const app = await startSmallApp(service, (api) => {
      for (const [index, fault] of faults.entries()) {
        const declaration = {
          action: 'companies.update',
          docs: { operationId: 'x', summary: 'x' },
          request: { body: z.object({ password: z.string() }) },
          response: { data: z.object({}) },
        } as const
        api.post(`/faults/${index}`, { access: 'anyone', ...declaration }, async () => {
          await fault()
          return {}
        })
      }
    })
    try {
      for (const index of faults.keys()) {
        const start = app.logged.length
        const answer = await app.client.post(
          `/faults/${index}?token=token-in-the-query`,
          { password: 'Hidden-horse-9' },
          { headers: { authorization: 'Bearer bearer-of-nothing' } },
        )
        assert.deepEqual(answer.body, {
          statusCode: 500,
          message: 'Something went wrong on our side. Try again later.',
          error: 'Internal Server Error',
          code: 'internal_error',
        })
        const line = JSON.parse(await untilLogged(app.logged, /"request failed"/, start))
        assert.equal(line.reqId, answer.headers.get('x-request-id'))
        assert.equal(line.level, 50)
        assert.match(line.err.stack, /\n {4}at .*\.ts:\d+/)
      }
      assert.match(app.logged.join(''), /the handler broke/)
      for (const secret of secrets) assert.equal(app.logged.join('').includes(secret), false, secret)
    } finally {
      await app.close()
    }
  })

  it('is also an answer that violates its schema; undeclared fields are never sent', async () => {
    const app = await startSmallApp(service, (api) => {
      const declaration = { access: 'anyone', action: 'companies.update' } as const
      const response = { data: z.object({ name: z.string() }) }
      api.get(
        '/wrong',
        { ...declaration, docs: { operationId: 'a', summary: 'x' }, response },
        async () => ({ name: 7 }) as never,
      )
      api.get('/more', { ...declaration, docs: { operationId: 'b', summary: 'x' }, response }, async () => ({
        name: 'x',
        hash: 'secret',
      }))
    })
    try {
      assertProblem(await app.client.get('/wrong'), 500, 'internal_error')
      assert.deepEqual((await app.client.get('/more')).body, { success: true, data: { name: 'x' } })
    } finally {
      await app.close()
    }
  })
})
