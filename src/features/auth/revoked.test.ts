import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { anyEmail, type Person, signUp } from '../../../test/support/people.ts'

const service = await useTestApp()

/** Sends the headers and the first byte, runs a step, and sends the rest. */
async function slowly(person: Person, method: string, path: string, body: object, meanwhile: () => Promise<unknown>) {
  const text = JSON.stringify(body)
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    authorization: `Bearer ${person.accessToken}`,
    'x-company-id': person.company.id,
  }
  const sent = request(`${service.address}/api${path}`, { method, headers })
  sent.write(text[0])
  const calls = service.app.server
  await once(calls, 'request')
  await meanwhile()
  sent.end(text.slice(1))
  const [response] = await once(sent, 'response')
  response.resume()
  return response.statusCode as number
}

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
    const signOut = () => ann.api.post('/auth/logout', { refreshToken: ann.refreshToken })
    const before = await rowsOf(ann)
    assert.equal(await slowly(ann, method, path.replace('/me', `/${ann.id}`), body, signOut), 401, path)
    assert.deepEqual(await rowsOf(ann), before, path)
  }
})
