import assert from 'node:assert/strict'
import { it } from 'node:test'
import { useTestApp } from '../../test/support/app.ts'
import { createRole, join } from '../../test/support/members.ts'
import { signUp } from '../../test/support/people.ts'
import { sendSlowly } from '../../test/support/slow-body.ts'

const service = await useTestApp()

it('records the attempt of a former member for the account alone', async () => {
  const ann = await signUp(service.client)
  const bob = await join(ann, await signUp(service.client), ['Admin'])
  const { statusCode } = await sendSlowly(service, bob, {
    method: 'POST',
    path: '/companies/branches',
    body: { name: 'Late' },
    meanwhile: () => ann.api.delete(`/companies/users/${bob.id}`),
  })
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
  const refused = await sendSlowly(service, bob, {
    method: 'POST',
    path: '/companies/branches',
    body: { name: 'Late' },
    meanwhile: () => ann.api.patch(role.path, { permissions: ['branches:read'] }),
  })
  assert.equal(refused.statusCode, 403)
  const now = await bob.api.get('/companies/branches')
  assert.equal(refused.headers['x-permissions-version'], now.headers.get('x-permissions-version'))
})
