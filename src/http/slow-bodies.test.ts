import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { it, mock } from 'node:test'
import { useTestApp } from '../../test/support/app.ts'
import { createRole, join } from '../../test/support/members.ts'
import { type Person, signUp } from '../../test/support/people.ts'
import { Database } from '../database/open.ts'

const service = await useTestApp()

/** Sends the headers and the first byte, waits for the access check, runs a step, and sends the rest. */
async function slowly(person: Person, method: string, path: string, body: object, meanwhile: () => Promise<unknown>) {
  const text = JSON.stringify(body)
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    authorization: `Bearer ${person.accessToken}`,
    'x-company-id': person.company.id,
  }
  const sent = request(`${service.address}/api${path}`, { method, headers })
  const { query } = Database.prototype
  const checked = Promise.withResolvers<void>()
  const checking = mock.method(Database.prototype, 'query', async function (this: Database, ...args: [never, never]) {
    const rows = await query.apply(this, args)
    setImmediate(checked.resolve)
    return rows
  })
  sent.write(text[0])
  await checked.promise
  checking.mock.restore()
  await meanwhile()
  sent.end(text.slice(1))
  const [response] = await once(sent, 'response')
  response.resume()
  return response
}

it('records the attempt of a former member for the account alone', async () => {
  const ann = await signUp(service.client)
  const bob = await join(ann, await signUp(service.client), ['Admin'])
  const { statusCode } = await slowly(bob, 'POST', '/companies/branches', { name: 'Late' }, () =>
    ann.api.delete(`/companies/users/${bob.id}`),
  )
  assert.equal(statusCode, 403)
  const rows = await service.db.query(
    `select company_id from audit_records where actor_id = $1 and outcome = 'not_a_member'`,
    [bob.id],
  )
  assert.deepEqual(rows, [{ company_id: null }])
})

it('names the version of the permissions that a refusal is based on', async () => {
  const ann = await signUp(service.client)
  const role = await createRole(ann, 'Builder', ['branches:create', 'branches:read'])
  const bob = await join(ann, await signUp(service.client), ['Builder'])
  const refused = await slowly(bob, 'POST', '/companies/branches', { name: 'Late' }, () =>
    ann.api.patch(role.path, { permissions: ['branches:read'] }),
  )
  assert.equal(refused.statusCode, 403)
  const now = await bob.api.get('/companies/branches')
  assert.equal(refused.headers['x-permissions-version'], now.headers.get('x-permissions-version'))
})
