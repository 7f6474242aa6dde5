import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Connections } from './connections.ts'
import { Database } from './open.ts'
import { asAnyone } from './scopes.ts'

/** Counts how often a read is sent that always fails as one does whose statement the server does not know. */
async function triesOf(t: { mock: typeof import('node:test').mock }, msEach: number): Promise<number> {
  let nowMs = 0
  let tries = 0
  t.mock.method(performance, 'now', () => nowMs)
  const fail = async () => {
    tries++
    nowMs += msEach
    throw Object.assign(new Error('prepared statement does not exist'), { code: '26000', severity: 'ERROR' })
  }
  const database = new Database({ connectionString: 'postgres://localhost' }, {
    shared: fail,
  } as unknown as Connections)
  await assert.rejects(database.query(asAnyone, { sql: 'select', parameters: [] }), { code: '26000' })
  return tries
}

it('tries again what had no effect, but not after it has waited for a lock', async (t) => {
  assert.equal(await triesOf(t, 10), 4)
  assert.equal(await triesOf(t, 1500), 1)
  // A deadlock is noticed after one second.
  assert.equal(await triesOf(t, 1100), 2)
})
