import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { useTestApp } from '../../../../test/support/app.ts'
import {
  addRecords,
  exportAudit,
  linesOf,
  sealedCompany,
  verifyAudit,
  verifyOffline,
} from '../../../../test/support/audit.ts'
import { join } from '../../../../test/support/members.ts'
import { assertProblem, type Person, signUp } from '../../../../test/support/people.ts'

const service = await useTestApp()

describe('an export as NDJSON', () => {
  let ann: Person
  let lines: string[]
  before(async () => {
    ann = await sealedCompany(service)
    lines = linesOf(await exportAudit(ann, 'format=ndjson'))
  })

  it('has every record, that of the export included, and all checkpoints', async () => {
    const { checkpoint } = JSON.parse(lines[0] as string)
    const records = lines.map((line) => JSON.parse(line)).filter((line) => !('checkpoint' in line))
    assert.deepEqual(
      records.map(({ seq }) => seq),
      Array.from({ length: 2501 }, (_, index) => index + 1),
    )
    assert.equal(checkpoint.seq, 2501)
    assert.equal(lines.length, 2501 + 3)
    const { action, actor, changes } = records.at(-1)
    assert.deepEqual([action, actor.id, changes], ['audit.export', ann.id, { format: { to: 'ndjson' } }])
  })

  it('is a file with a name made by the service', async () => {
    const { headers } = await ann.api.get('/companies/audit/export?format=ndjson')
    assert.equal(headers.get('content-type'), 'application/x-ndjson; charset=utf-8')
    assert.match(headers.get('content-disposition') ?? '', /^attachment; filename="audit-\d{8}T\d{6}Z\.ndjson"$/)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
  })

  it('is filtered like the list', async () => {
    const [record] = (await ann.api.get('/companies/audit?action=branches.update')).body.data
    for (const query of [
      `actorId=${record.actor.id}`,
      `targetId=${record.target.id}`,
      `from=${record.created_at}&to=${record.created_at}`,
    ]) {
      const some = linesOf(await exportAudit(ann, `format=ndjson&${query}`)).slice(1)
      assert.deepEqual(
        some.map((line) => JSON.parse(line).id),
        [record.id],
      )
    }
  })
})

describe('an export', () => {
  it('refuses unknown formats and invalid filters', async () => {
    const ann = await signUp(service.client)
    for (const query of [
      'format=xml',
      'format=ndjson&from=x',
      'format=csv&from=2024-01-02T00:00:00Z&to=2024-01-01T00:00:00Z',
    ])
      assertProblem(await ann.api.get(`/companies/audit/export?${query}`), 400, 'validation_failed')
  })

  it('is recorded with its filter before it starts', async () => {
    const ann = await signUp(service.client)
    await exportAudit(ann, `format=csv&outcome=done&from=2024-01-01T00:00:00Z`)
    const [record] = (await ann.api.get('/companies/audit?action=audit.export')).body.data
    assert.deepEqual(record.changes, {
      format: { to: 'csv' },
      from: { to: '2024-01-01T00:00:00.000Z' },
      outcome: { to: 'done' },
    })
  })

  it('contains no records of another company, and refuses actors outside of the company', async () => {
    const [ann, eve] = [await signUp(service.client), await signUp(service.client)]
    const answer = await eve.api.get('/companies/audit/export?format=csv', { company: ann.company.id })
    assertProblem(answer, 403, 'not_a_member')
    assert.ok(!(await exportAudit(eve, 'format=ndjson')).includes(ann.id))
  })

  it('is complete when twenty run at once while others write', async () => {
    const ann = await signUp(service.client)
    await addRecords(service, ann.company.id, 500)
    const readers = await Promise.all(
      Array.from({ length: 10 }, async () => join(ann, await signUp(service.client), ['Admin'])),
    )
    const exports = [...readers, ...readers].map((reader) => exportAudit(reader, 'format=ndjson'))
    const writes = Array.from({ length: 20 }, (_, index) =>
      ann.api.patch('/companies/audit/settings', { retentionDays: 30 + index }),
    )
    for (const text of await Promise.all(exports)) {
      const { valid, text: reason } = await verifyOffline(service, linesOf(text))
      assert.ok(valid, reason)
    }
    await Promise.all(writes)
    assert.equal((await verifyAudit(ann)).valid, true)
  })
})
