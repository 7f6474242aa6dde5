import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useTestApp } from '../../../test/support/app.ts'
import { verifyAudit } from '../../../test/support/audit.ts'
import { createBranch } from '../../../test/support/branches.ts'
import type { Answer } from '../../../test/support/client.ts'
import { addMember, joinWith } from '../../../test/support/members.ts'
import { assertProblem, signUp } from '../../../test/support/people.ts'
import { newId } from '../../lib/ids.ts'

const service = await useTestApp()

describe('a large record', () => {
  it('is shortened to about 8 kB, and says how much was left out', async () => {
    const ann = await signUp(service.client)
    const ids: string[] = []
    for (let index = 0; index < 40; index++)
      ids.push((await createBranch(ann, { name: `${String(index).padStart(3, '0')}${'𠀀'.repeat(97)}` })).id)
    const bob = await addMember(ann)
    for (const branchIds of [ids.slice(0, 20), ids.slice(20)]) {
      const { status, body } = await ann.api.patch(`/companies/users/${bob.id}`, { branchIds })
      assert.equal(status, 200, JSON.stringify(body))
    }

    const [record] = (await ann.api.get('/companies/audit?action=users.update')).body.data
    assert.ok(Buffer.byteLength(JSON.stringify(record.changes)) < 8500)
    for (const list of Object.values(record.changes.branches) as string[][]) {
      assert.ok(list.length > 5 && list.length < 20)
      assert.match(list.at(-1) as string, new RegExp(`^… and ${20 - list.length + 1} more$`))
      assert.match(list[0] as string, /^\d{3}𠀀{97}$/u)
    }
    assert.equal((await verifyAudit(ann)).valid, true)
  })
})

describe('a refusal', () => {
  /** While nothing can be recorded. */
  async function assertUnrecorded(attempt: () => Promise<Answer>): Promise<void> {
    const { query } = service.db
    await query('begin')
    await query('lock table audit_records in share mode')
    const unrecorded = attempt()
    await service.db.waitForLock()
    assertProblem(await unrecorded, 503, 'database_unavailable')
    await query('rollback')
  }

  it('is answered only once it is recorded: 503 while it cannot be', async () => {
    const ann = await signUp(service.client)
    const bob = await joinWith(ann, await signUp(service.client), [])
    const attempt = () => bob.api.post('/companies/branches', { name: 'North' })
    await assertUnrecorded(attempt)
    assertProblem(await attempt(), 403, 'permission_missing')
    const rows = await service.db.query(
      `select outcome from audit_records where actor_id = $1 and action = 'branches.create'`,
      [bob.id],
    )
    assert.deepEqual(rows, [{ outcome: 'permission_missing' }])
  })

  it('is kept for no repetition either before it is recorded', async () => {
    const ann = await signUp(service.client)
    const { email } = await addMember(ann)
    const headers = { 'idempotency-key': newId() }
    const attempt = () => ann.api.post('/companies/users', { name: 'Again', email }, { headers })
    const records = () =>
      service.db.query(`select from audit_records where actor_id = $1 and outcome = 'already_member'`, [ann.id])
    await assertUnrecorded(attempt)
    assertProblem(await attempt(), 409, 'already_member')
    assert.equal((await records()).length, 1)
    const again = await attempt()
    assertProblem(again, 409, 'already_member')
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
    assert.equal((await records()).length, 1)
  })
})
