import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { join } from '../../../test/support/members.ts'
import { assertProblem, signUp } from '../../../test/support/people.ts'

const service = await useTestApp()

describe('the retention period', () => {
  it('is unlimited until it is set, which is recorded', async () => {
    const ann = await signUp(service.client)
    const read = async () => (await ann.api.get('/companies/audit/settings')).body.data
    assert.deepEqual(await read(), { retentionDays: null })
    for (const retentionDays of [30, 3650, null]) {
      const { status, body } = await ann.api.patch('/companies/audit/settings', { retentionDays })
      assert.deepEqual([status, body.data], [200, { retentionDays }])
      assert.deepEqual(await read(), { retentionDays })
    }
    assert.deepEqual((await ann.api.patch('/companies/audit/settings', {})).body.data, { retentionDays: null })
    const records = (await ann.api.get('/companies/audit?action=audit.update_settings')).body.data
    assert.deepEqual(
      records.map(({ changes }: { changes: { retentionDays: object } }) => changes.retentionDays),
      [
        { from: 3650, to: null },
        { from: 30, to: 3650 },
        { from: null, to: 30 },
      ],
    )
  })

  it('has bounds', async () => {
    const ann = await signUp(service.client)
    for (const retentionDays of [29, 3651, 0, -1, 30.5, '30', true, [], 1e308])
      assertProblem(await ann.api.patch('/companies/audit/settings', { retentionDays }), 400, 'validation_failed')
    assert.equal((await ann.api.get('/companies/audit?action=audit.update_settings')).body.data.length, 0)
  })

  it('needs audit:read to be read, and companies:update to be set', async () => {
    const ann = await signUp(service.client)
    const bob = await join(ann, await signUp(service.client), ['Manager'])
    assert.equal((await bob.api.get('/companies/audit/settings')).status, 200)
    const answer = await bob.api.patch('/companies/audit/settings', { retentionDays: 30 })
    assertProblem(answer, 403, 'permission_missing')
    assert.equal(answer.body.required, 'companies:update')
  })
})
