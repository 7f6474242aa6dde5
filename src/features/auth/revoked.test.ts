import assert from 'node:assert/strict'
import { it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { anyEmail, type Person, signUp } from '../../../test/support/people.ts'
import { sendSlowly } from '../../../test/support/slow-body.ts'

const service = await useTestApp()

/** What the requests of this file would change. */
const rowsOf = ({ id, company }: Person) =>
  service.db.query(
    `select accounts.pending_email, memberships.position,
       (select count(*) from branches where branches.company_id = $2) as branches,
       (select count(*) from memberships others where others.account_id = $1) as companies,
       (select count(*) from memberships others where others.company_id = $2) as members
     from accounts join memberships on memberships.account_id = accounts.id and memberships.company_id = $2
     where accounts.id = $1`,
    [id, company.id],
  )

it('refuses a request whose session ended while its body was being received', async () => {
  for (const [method, path, body] of [
    ['PUT', '/auth/profile', { email: anyEmail() }],
    ['POST', '/companies', { name: `Late ${anyEmail()}`, taxId: '1' }],
    ['POST', '/companies/users', { name: 'Late', email: anyEmail() }],
    ['PATCH', '/companies/users/me', { position: 'Late' }],
    ['POST', '/companies/branches', { name: 'Late' }],
  ] as const) {
    const ann = await signUp(service.client)
    const meanwhile = () => ann.api.post('/auth/logout', { refreshToken: ann.refreshToken })
    const before = await rowsOf(ann)
    const request = { method, path: path.replace('/me', `/${ann.id}`), body, meanwhile }
    assert.equal((await sendSlowly(service, ann, request)).statusCode, 401, path)
    assert.deepEqual(await rowsOf(ann), before, path)
  }
})
