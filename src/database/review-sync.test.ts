import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { type OpenDatabase, openTestDatabase } from '../../test/support/postgres.ts'
import { asAnyone } from './scopes.ts'
import { scopeSteps, sendAll } from './statements.ts'

let open: OpenDatabase
before(async () => {
  open = await openTestDatabase()
})
after(() => open.close())

const sleep = (seconds: number) => ({ sql: 'select pg_sleep($1::float)', parameters: [seconds] })
const options = { steps: scopeSteps(asAnyone), slow: false }

it('several statements that each stay within their limit do not end the connection of others', async () => {
  const results = await open.connections.shared(async (client) => {
    const slow = Promise.allSettled(sendAll(client, [sleep(0.1), sleep(1), sleep(1)], options))
    const beside = Promise.allSettled(sendAll(client, [{ sql: 'select 1 as one', parameters: [] }], options))
    return [...(await slow), ...(await beside)]
  })
  assert.deepEqual(
    results.map((result) => (result.status === 'fulfilled' ? 'ok' : String(result.reason.message))),
    ['ok', 'ok', 'ok', 'ok'],
  )
})
