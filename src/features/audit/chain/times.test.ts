import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, it } from 'node:test'
import { useTestApp } from '../../../../test/support/app.ts'
import { addRecords, patiently, sealedCompany, verifyAudit } from '../../../../test/support/audit.ts'
import { type Person, signUp } from '../../../../test/support/people.ts'
import { createLog } from '../../../process/log.ts'
import { purgeCompany } from '../worker/purge-company.ts'
import { sealCompany } from '../worker/sealing.ts'
import { verifyExport } from './verify-export.ts'

const service = await useTestApp()

/** By hand, as if it had happened then; not sealed yet. */
async function putIn({ company }: Person, time: string): Promise<string> {
  const [row] = await service.db.query<{ id: string }>(
    `insert into audit_records (id, company_id, action, outcome, target_type, created_at)
     values (gen_random_uuid(), $1, 'things.invent', 'done', 'thing', ${time}) returning id`,
    [company.id],
  )
  return row?.id as string
}

/** All that is on record, not sealed yet, as if it had been so long ago. */
const age = ({ company }: Person, time: string) =>
  service.db.query(`update audit_records set created_at = now() - $2::text::interval where company_id = $1`, [
    company.id,
    time,
  ])

/** What goes on record by itself. */
const write = async ({ api }: Person, retentionDays: number) =>
  assert.equal((await patiently(() => api.patch('/companies/audit/settings', { retentionDays }))).status, 200)

async function proveOffline({ api }: Person) {
  const { body } = await patiently(() => api.get('/companies/audit/export?format=ndjson'))
  const folder = mkdtempSync(path.join(tmpdir(), 'tenantry-times-'))
  const file = path.join(folder, 'export.ndjson')
  writeFileSync(file, body)
  const jwks = await (await fetch(`${service.address}/.well-known/jwks.json`)).json()
  const verdict = await verifyExport(file, jwks as object)
  rmSync(folder, { recursive: true })
  return verdict
}

describe('a record that is put in by hand with another time', () => {
  const cases: Record<string, [time: string, reason: string]> = {
    'in the past': [`now() - interval '2 hours'`, 'backdated'],
    'long past': [`now() - interval '9 years'`, 'backdated'],
    'before our era': [`'0044-03-15 00:00:00+00 BC'`, 'backdated'],
    'before all days': [`'-infinity'`, 'backdated'],
    'to come': [`now() + interval '2 hours'`, 'postdated'],
    'after all days': [`'infinity'`, 'postdated'],
  }
  for (const [what, [time, reason]] of Object.entries(cases)) {
    it(`${what} is named by the verification, online and offline, also when the chain has gone on`, async () => {
      const ann = await signUp(service.client)
      await verifyAudit(ann)
      const id = await putIn(ann, time)
      const expected = { seq: 2, id, reason }
      const { valid, firstBad, mistimed } = await verifyAudit(ann)
      assert.deepEqual({ valid, firstBad, mistimed }, { valid: false, firstBad: expected, mistimed: 1 })
      await write(ann, 365)
      assert.deepEqual((await verifyAudit(ann)).firstBad, expected)
      const offline = await proveOffline(ann)
      assert.equal(offline.valid, false)
      assert.match(offline.text, new RegExp(`^INVALID: record 2 \\(${id}\\) was put in by hand: .*\n.*whole\\.$`))
    })
  }

  it('is counted with others of its kind', async () => {
    const ann = await signUp(service.client)
    await verifyAudit(ann)
    for (const hours of [2, 3]) await putIn(ann, `now() - interval '${hours} hours'`)
    await verifyAudit(ann)
    await putIn(ann, `now() - interval '1 day'`)
    assert.equal((await verifyAudit(ann)).mistimed, 3)
    assert.match((await proveOffline(ann)).text, /^2 more records have such a time\.$/m)
  })

  it('hides nothing that is done to the chain later', async () => {
    const ann = await sealedCompany(service)
    await putIn(ann, `now() - interval '2 hours'`)
    assert.equal((await verifyAudit(ann)).firstBad.reason, 'backdated')
    await write(ann, 365)
    await verifyAudit(ann)
    await service.db.query(`update audit_records set action = 'x' where company_id = $1 and seq = 2502`, [
      ann.company.id,
    ])
    const { firstBad } = await verifyAudit(ann)
    assert.deepEqual([firstBad.seq, firstBad.reason], [2502, 'changed'])
    assert.match((await proveOffline(ann)).text, /^INVALID: record 2502 .* was changed/)
  })

  it('is told of in the log when it is sealed', async () => {
    const ann = await signUp(service.client)
    await addRecords(service, ann.company.id, 50)
    await verifyAudit(ann)
    const lines: string[] = []
    const sealing = { ...service.parts, log: createLog('info', { write: (line: string) => void lines.push(line) }) }
    await write(ann, 30)
    await sealCompany(sealing, ann.company.id)
    assert.equal(lines.length, 0)
    for (const time of [`now() - interval '40 days'`, `now() + interval '1 day'`, `'-infinity'`]) {
      const id = await putIn(ann, time)
      await sealCompany(sealing, ann.company.id)
      const { level, company, records } = JSON.parse(lines.pop() as string)
      assert.deepEqual({ level, company, records }, { level: 40, company: ann.company.id, records: [id] })
      await write(ann, 31)
      await sealCompany(sealing, ann.company.id)
      assert.equal(lines.length, 0)
    }
  })

  it('keeps back neither the chain nor what removes it when its time has come', async () => {
    const ann = await signUp(service.client)
    await age(ann, '60 days')
    await verifyAudit(ann)
    for (const days of [62, 59]) await putIn(ann, `now() - interval '${days} days'`)
    await write(ann, 30)
    const { records, firstBad, mistimed } = await verifyAudit(ann)
    assert.deepEqual([records, firstBad.reason, mistimed], [4, 'backdated', 1])
    assert.equal(await purgeCompany(service.parts, ann.company.id), true)
    const after = await verifyAudit(ann)
    assert.deepEqual([after.valid, after.checkpoint.begins.seq], [true, 3])
  })
})

describe('the times of records are in order', () => {
  it('when nothing happened for days, or a record was written long before it was sealed', async () => {
    const ann = await signUp(service.client)
    await age(ann, '30 days')
    for (const time of ['9 days', '9 days', '2 days', '25 hours']) {
      await putIn(ann, `now() - interval '${time}'`)
      assert.equal((await verifyAudit(ann)).valid, true)
    }
    await addRecords(service, ann.company.id, 20)
    await write(ann, 365)
    const { valid, mistimed } = await verifyAudit(ann)
    assert.deepEqual({ valid, mistimed }, { valid: true, mistimed: 0 })
    assert.equal((await proveOffline(ann)).valid, true)
  })

  it('when a transaction took its time, or two clocks differ by less than an hour', async () => {
    const ann = await signUp(service.client)
    await verifyAudit(ann)
    await putIn(ann, `now() - interval '59 minutes'`)
    assert.equal((await verifyAudit(ann)).valid, true)
    await putIn(ann, `now() + interval '59 minutes'`)
    assert.equal((await verifyAudit(ann)).valid, true)
  })

  it('when more waited for the sealer than it seals at once, for days', async () => {
    const ann = await signUp(service.client)
    await age(ann, '30 days')
    await verifyAudit(ann)
    await addRecords(service, ann.company.id, 2500)
    const { valid, records, mistimed } = await verifyAudit(ann)
    assert.deepEqual({ valid, records, mistimed }, { valid: true, records: 2501, mistimed: 0 })
  })
})
