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

it('refuses a request whose session ended while its body was being received', async () => {
  for (const [method, path, body] of [
    ['PUT', '/auth/profile', { email: anyEmail() }],
    ['POST', '/companies', { name: `Late ${anyEmail()}`, taxId: '1' }],
    ['POST', '/companies/users', { name: 'Late', email: anyEmail() }],
  ] as const) {
    const ann = await signUp(service.client)
    const signOut = () => ann.api.post('/auth/logout', { refreshToken: ann.refreshToken })
    assert.equal(await slowly(ann, method, path, body, signOut), 401, path)
    const [row] = await service.db.query('select pending_email from accounts where id = $1', [ann.id])
    assert.equal(row?.pending_email, null)
  }
})
