import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createLog } from '../../process/log.ts'
import { type Count, OwnCounters } from './counters.ts'
import { resilient } from './resilient-counters.ts'

const counts: Count[] = [{ limit: { name: 'general', requests: 30, perSeconds: 60 }, name: '203.0.113.1/32' }]

it('asks counters that did not answer no more until a probe is answered', async () => {
  let asked = 0
  const shared = {
    name: 'Redis',
    async count() {
      asked++
      throw new Error('away')
    },
    probe: async () => {},
    close() {},
  }
  const counters = resilient(shared, { log: createLog('silent'), timeoutMs: 100, fallback: new OwnCounters() })
  const counted = []
  for (let i = 0; i < 3; i++) counted.push((await counters.count(counts))[0]?.count)
  counters.close()
  assert.deepEqual([asked, counted], [1, [1, 2, 3]])
})
