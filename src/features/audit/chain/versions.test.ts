import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useTestApp } from '../../../../test/support/app.ts'
import { addRecords, exportAudit, linesOf, verifyAudit, verifyOffline } from '../../../../test/support/audit.ts'
import { sealAsVersion1 } from '../../../../test/support/audit-version-1.ts'
import { type Person, signUp } from '../../../../test/support/people.ts'
import { keysFrom } from '../../../lib/keys.ts'
import { purgeCompany } from '../worker/purge-company.ts'
import { renewSignatures } from '../worker/renew-signatures.ts'
import { firstHash, recordHash } from './hashing.ts'
import type { SealedRecord } from './sealed-record.ts'

const service = await useTestApp()

/** Records 1 to 41 and 83 to 122 are of version 1, those between and after of version 2. */
async function mixedCompany(): Promise<Person> {
  const ann = await signUp(service.client)
  const { id } = ann.company
  await addRecords(service, id, 40)
  await sealAsVersion1(service, id)
  await addRecords(service, id, 40)
  await ann.api.patch(`/companies/${id}`, { name: 'Renamed' })
  await verifyAudit(ann)
  await addRecords(service, id, 40)
  await sealAsVersion1(service, id)
  await addRecords(service, id, 40)
  return ann
}

const versions = async ({ company }: Person) =>
  (
    await service.db.query<{ v: number; records: number }>(
      'select v, count(*)::int as records from audit_records where company_id = $1 group by v order by v',
      [company.id],
    )
  ).map(({ v, records }) => [v, records])

const valid = async (person: Person) => (await verifyAudit(person)).valid

describe('a chain with records of both versions', () => {
  it('is verified, online and offline, and goes on after a purge and with another secret', async () => {
    const ann = await mixedCompany()
    assert.deepEqual(await valid(ann), true)
    assert.deepEqual(await versions(ann), [
      [1, 81],
      [2, 81],
    ])
    const { valid: isValidOffline, text } = await verifyOffline(
      service,
      linesOf(await exportAudit(ann, 'format=ndjson')),
    )
    assert.ok(isValidOffline, text)

    const rotated = {
      ...service.auditDeps,
      keys: keysFrom('another-secret-of-more-than-32-characters', service.parts.config.appSecret),
    }
    assert.ok((await renewSignatures(rotated)).renewed > 0)
    await renewSignatures({
      ...rotated,
      keys: keysFrom(service.parts.config.appSecret, 'another-secret-of-more-than-32-characters'),
    })
    assert.equal(await valid(ann), true)
  })

  it('is purged across both', async () => {
    const ann = await signUp(service.client)
    const { id } = ann.company
    await ann.api.patch('/companies/audit/settings', { retentionDays: 30 })
    const age = () =>
      service.db.query(
        `update audit_records set created_at = created_at - interval '60 days' where company_id = $1 and seq is null`,
        [id],
      )
    await addRecords(service, id, 10)
    await age()
    await sealAsVersion1(service, id)
    await addRecords(service, id, 10)
    await age()
    await verifyAudit(ann)
    assert.equal(await purgeCompany(service.auditDeps, id), true)
    const { valid, checkpoint } = await verifyAudit(ann)
    assert.deepEqual([valid, checkpoint.begins.seq], [true, 22])
    const [{ actor }] = (await ann.api.get('/companies/audit?action=audit.purge')).body.data
    assert.deepEqual(actor, { id: null, kind: 'service', name: '', email: '' })
  })

  it('shows no kind of actor in records of version 1, whatever stands in their rows', async () => {
    const ann = await mixedCompany()
    await service.db.query(
      `update audit_records set actor_kind = 'operator', via_type = 'session', via_id = id, actor_commitment = 'x'
       where company_id = $1 and v = 1`,
      [ann.company.id],
    )
    assert.equal(await valid(ann), true)
    const ids = await service.db.query('select id from audit_records where company_id = $1 and v = 1', [ann.company.id])
    const { data } = (await ann.api.get('/companies/audit?limit=100')).body
    const shown = data.filter(({ id }: { id: string }) => ids.some((row) => row.id === id))
    assert.ok(shown.length > 18)
    for (const { actor, via } of shown) assert.deepEqual([actor.kind, actor.erased, via], [null, undefined, null])
  })
})

/** As release 0.2.0 has exported it, of company 01a20200-8bf4-70fd-b477-2d04a8fa8808. */
const OF_VERSION_1: SealedRecord[] = [
  {
    seq: 1,
    hash: '780298f8e16dd6c05eb0e6db63acf9e1c0baeee797676dd7050f1a99df1f45ef',
    v: 1,
    id: '01a20200-8bfe-730e-b922-d8e0848704a0',
    created_at: '2026-11-22T06:45:19.998Z',
    action: 'companies.create',
    outcome: 'done',
    actor: { id: '01a20200-8be7-7121-b6d0-7186e28ceb4c', name: 'Ann Lovelace', email: 'ann@example.com' },
    target: { type: 'company', id: '01a20200-8bf4-70fd-b477-2d04a8fa8808', label: 'Acme' },
    changes: {},
    ip: '127.0.0.1',
    user_agent: 'node',
    request_id: '7f0a85cd-d620-4c00-b75e-f35627e73e70',
  },
  {
    seq: 2,
    hash: 'e6220544483b661be34e90c5b4b7ae0c6c518340b26029618b85ef6ed92ebf88',
    v: 1,
    id: '01a20200-8c30-77a4-b857-9296a8fad958',
    created_at: '2026-11-22T06:45:20.056Z',
    action: 'audit.export',
    outcome: 'done',
    actor: { id: '01a20200-8be7-7121-b6d0-7186e28ceb4c', name: 'Ann Lovelace', email: 'ann@example.com' },
    target: { type: 'company', id: '01a20200-8bf4-70fd-b477-2d04a8fa8808', label: '' },
    changes: { format: { to: 'ndjson' } },
    ip: '127.0.0.1',
    user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
    request_id: '39831fef-d565-449b-bf62-85d4bdace867',
  },
]

describe('a record of version 1', () => {
  it('has the hash that release 0.2.0 has given it', () => {
    let hash = firstHash('01a20200-8bf4-70fd-b477-2d04a8fa8808')
    for (const record of OF_VERSION_1) {
      hash = recordHash('01a20200-8bf4-70fd-b477-2d04a8fa8808', hash, record.seq, record)
      assert.equal(hash, record.hash)
    }
  })
})

describe('an exported record of version 2', () => {
  it('has what an outsider needs to compute its hash', async () => {
    const ann = await signUp(service.client)
    await ann.api.patch(`/companies/users/${ann.id}`, { position: 'Clerk' })
    const [, ...lines] = linesOf(await exportAudit(ann, 'format=ndjson')).map((line) => JSON.parse(line))
    const [first, second] = lines.filter(({ checkpoint }) => !checkpoint)
    assert.equal(second.hash, recordHash(ann.company.id, first.hash, 2, second))
    assert.deepEqual(Object.keys(second.personal), ['actor', 'target'])
    assert.deepEqual([second.actor.kind, second.via.type], ['person', 'session'])
    assert.notEqual(second.personal.actor.salt, second.personal.target.salt)
    assert.notEqual(second.personal.actor.salt, first.personal.actor.salt)
  })
})
