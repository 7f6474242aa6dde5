import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { mock } from 'node:test'
import { Database } from '../../src/database/open.ts'
import type { TestApp } from './app.ts'
import type { Person } from './people.ts'

interface SlowRequest {
  method: string
  /** Below `/api`. */
  path: string
  body: object
  idempotencyKey?: string
  /** Runs when access has been checked, and before the rest of the body is sent. */
  meanwhile(): Promise<unknown>
}

/** Sends the headers and the first byte of the body, and the rest only after a step. */
export async function sendSlowly(
  { address }: TestApp,
  person: Person,
  { method, path, body, idempotencyKey, meanwhile }: SlowRequest,
): Promise<IncomingMessage> {
  const text = JSON.stringify(body)
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    authorization: `Bearer ${person.accessToken}`,
    'x-company-id': person.company.id,
    ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
  }
  const sent = request(`${address}/api${path}`, { method, headers })
  const checked = accessChecked()
  sent.write(text[0])
  await checked
  await meanwhile()
  sent.end(text.slice(1))
  const [response] = await once(sent, 'response')
  return response.resume()
}

/** Resolves when the statement of the next access check has its answer, and what waits for that has run. */
async function accessChecked(): Promise<void> {
  const { query } = Database.prototype
  const checked = Promise.withResolvers<void>()
  const checking = mock.method(Database.prototype, 'query', async function (this: Database, ...args: [never, never]) {
    const rows = await query.apply(this, args)
    setImmediate(checked.resolve)
    return rows
  })
  await checked.promise
  checking.mock.restore()
}
