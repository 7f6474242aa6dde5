import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useTestApp } from '../../../../test/support/app.ts'
import {
  addRecords,
  exportAudit,
  linesOf,
  sealedCompany,
  verifyAudit,
  verifyOffline,
} from '../../../../test/support/audit.ts'
import { type Person, signUp } from '../../../../test/support/people.ts'
import { retryWhileBusy } from '../../../../test/support/retries.ts'
import { createLog } from '../../../process/log.ts'
import { purgeCompany } from '../worker/purge-company.ts'
import { sealCompany } from './seal-company.ts'

const service = await useTestApp()

/** Inserts a record by hand with another time; it is not sealed yet. */
async function insertRecord({ company }: Person, time: string): Promise<string> {
  const [row] = await service.db.query<{ id: string }>(
    `insert into audit_records (id, company_id, action, outcome, target_type, created_at)
     values (gen_random_uuid(), $1, 'things.invent', 'done', 'thing', ${time}) returning id`,
    [company.id],
  )
  return row?.id as string
}

/** Makes all records of a company older; they are not sealed yet. */
const age = ({ company }: Person, time: string) =>
  service.db.query(`update audit_records set created_at = now() - $2::text::interval where company_id = $1`, [
    company.id,
    time,
  ])

/** Adds a record as the service does. */
const changeSettings = async ({ api }: Person, retentionDays: number) =>
  assert.equal((await retryWhileBusy(() => api.patch('/companies/audit/settings', { retentionDays }))).status, 200)

const verifyExported = async (person: Person) =>
  verifyOffline(service, linesOf(await exportAudit(person, 'format=ndjson')))

describe('a record that was inserted by hand with a false time', () => {
  const cases: Record<string, [time: string, reason: string]> = {
    'in the past': [`now() - interval '2 hours'`, 'backdated'],
    'years ago': [`now() - interval '9 years'`, 'backdated'],
    'in a year BC': [`'0044-03-15 00:00:00+00 BC'`, 'backdated'],
    'at -infinity': [`'-infinity'`, 'backdated'],
    'in the future': [`now() + interval '2 hours'`, 'postdated'],
    'at infinity': [`'infinity'`, 'postdated'],
  }
  for (const [what, [time, reason]] of Object.entries(cases)) {
    it(`${what} is reported by the verification, online and offline, also after later records`, async () => {
      const ann = await signUp(service.client)
      await verifyAudit(ann)
      const id = await insertRecord(ann, time)
      const expected = { seq: 2, id, reason }
      const { valid, firstInvalid, misdated } = await verifyAudit(ann)
      assert.deepEqual({ valid, firstInvalid, misdated }, { valid: false, firstInvalid: expected, misdated: 1 })
      await changeSettings(ann, 365)
      assert.deepEqual((await verifyAudit(ann)).firstInvalid, expected)
      const offline = await verifyExported(ann)
      assert.equal(offline.valid, false)
      assert.match(
        offline.text,
        new RegExp(`^INVALID: record 2 \\(${id}\\) was inserted with a false time, .*\n.*intact\\.$`),
      )
    })
  }

  it('is counted with others', async () => {
    const ann = await signUp(service.client)
    await verifyAudit(ann)
    for (const hours of [2, 3]) await insertRecord(ann, `now() - interval '${hours} hours'`)
    await verifyAudit(ann)
    await insertRecord(ann, `now() - interval '1 day'`)
    assert.equal((await verifyAudit(ann)).misdated, 3)
    assert.match((await verifyExported(ann)).text, /^2 more records have a false time\.$/m)
  })

  it('hides no later change of the chain', async () => {
    const ann = await sealedCompany(service)
    await insertRecord(ann, `now() - interval '2 hours'`)
    assert.equal((await verifyAudit(ann)).firstInvalid.reason, 'backdated')
    await changeSettings(ann, 365)
    await verifyAudit(ann)
    await service.db.query(`update audit_records set action = 'x' where company_id = $1 and seq = 2502`, [
      ann.company.id,
    ])
    const { firstInvalid } = await verifyAudit(ann)
    assert.deepEqual([firstInvalid.seq, firstInvalid.reason], [2502, 'changed'])
    assert.match((await verifyExported(ann)).text, /^INVALID: record 2502 .* was changed/)
  })

  it('is logged when it is sealed', async () => {
    const ann = await signUp(service.client)
    await addRecords(service, ann.company.id, 50)
    await verifyAudit(ann)
    const lines: string[] = []
    const deps = { ...service.auditDeps, log: createLog('info', { write: (line: string) => void lines.push(line) }) }
    await changeSettings(ann, 30)
    await sealCompany(deps, ann.company.id)
    assert.equal(lines.length, 0)
    for (const time of [`now() - interval '40 days'`, `now() + interval '1 day'`, `'-infinity'`]) {
      const id = await insertRecord(ann, time)
      await sealCompany(deps, ann.company.id)
      const { level, company, records } = JSON.parse(lines.pop() as string)
      assert.deepEqual({ level, company, records }, { level: 40, company: ann.company.id, records: [id] })
      await changeSettings(ann, 31)
      await sealCompany(deps, ann.company.id)
      assert.equal(lines.length, 0)
    }
  })

  it('stops neither the sealing nor the purge', async () => {
    const ann = await signUp(service.client)
    await age(ann, '60 days')
    await verifyAudit(ann)
    for (const days of [62, 59]) await insertRecord(ann, `now() - interval '${days} days'`)
    await changeSettings(ann, 30)
    const { records, firstInvalid, misdated } = await verifyAudit(ann)
    assert.deepEqual([records, firstInvalid.reason, misdated], [4, 'backdated', 1])
    assert.equal(await purgeCompany(service.auditDeps, ann.company.id), true)
    const after = await verifyAudit(ann)
    assert.deepEqual([after.valid, after.checkpoint.begins.seq], [true, 3])
  })
})

describe('the times of records are accepted', () => {
  it('after days without records, and when a record was sealed long after it was written', async () => {
    const ann = await signUp(service.client)
    await age(ann, '30 days')
    for (const time of ['9 days', '9 days', '2 days', '25 hours']) {
      await insertRecord(ann, `now() - interval '${time}'`)
      assert.equal((await verifyAudit(ann)).valid, true)
    }
    await addRecords(service, ann.company.id, 20)
    await changeSettings(ann, 365)
    const { valid, misdated } = await verifyAudit(ann)
    assert.deepEqual({ valid, misdated }, { valid: true, misdated: 0 })
    assert.equal((await verifyExported(ann)).valid, true)
  })

  it('when clocks or a slow transaction make a difference of less than an hour', async () => {
    const ann = await signUp(service.client)
    await verifyAudit(ann)
    await insertRecord(ann, `now() - interval '59 minutes'`)
    assert.equal((await verifyAudit(ann)).valid, true)
    await insertRecord(ann, `now() + interval '59 minutes'`)
    assert.equal((await verifyAudit(ann)).valid, true)
  })

  it('when many records waited for the sealer for days', async () => {
    const ann = await signUp(service.client)
    await age(ann, '30 days')
    await verifyAudit(ann)
    await addRecords(service, ann.company.id, 2500)
    const { valid, records, misdated } = await verifyAudit(ann)
    assert.deepEqual({ valid, records, misdated }, { valid: true, records: 2501, misdated: 0 })
  })
})
