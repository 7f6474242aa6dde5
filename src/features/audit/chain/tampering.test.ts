import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { useTestApp } from '../../../../test/support/app.ts'
import { addRecords, sealedCompany, verifyAudit } from '../../../../test/support/audit.ts'
import { type Person, signUp } from '../../../../test/support/people.ts'
import { purgeCompany } from '../worker/purge-company.ts'
import { BrokenChain } from '../worker/sealing.ts'
import { hashOf } from './hashing.ts'
import { type RecordRow, recordColumns, recordFrom } from './queries.ts'

const service = await useTestApp()

const idAt = async ({ company }: Person, seq: number) => {
  const [row] = await service.db.query(`select id from audit_records where company_id = $1 and seq = $2`, [
    company.id,
    seq,
  ])
  return row?.id ?? null
}

/** Behind the service's back; `$1` is the company. */
type Tamper = (ann: Person) => Promise<unknown>
const by =
  (...statements: string[]): Tamper =>
  async ({ company }) => {
    for (const statement of statements) await service.db.query(statement, [company.id])
  }
const edit = (set: string, seq = 1500) => by(`update audit_records set ${set} where company_id = $1 and seq = ${seq}`)

/** Swaps two places; the index is unique, so by way of a third. */
const swap = (one: number, other: number, ...also: string[]) =>
  by(
    ...[
      [one, 9_000_000],
      [other, one],
      [9_000_000, other],
    ].map(([from, to]) => `update audit_records set seq = ${to} where company_id = $1 and seq = ${from}`),
    ...also,
  )

/** What somebody does who knows how the chain is made and has no key: all hashes from here on fit again. */
const recompute =
  (seq: number): Tamper =>
  async ({ company }) => {
    const { rows } =
      await sql<RecordRow>`select ${recordColumns} from audit_records where seq >= ${seq - 1} order by seq`.execute(
        service.database.autocommit({ role: 'tenantry_tenant', companyId: company.id, slow: true }),
      )
    const [before, ...records] = rows.map(recordFrom)
    let hash = before?.hash as string
    for (const record of records) {
      hash = hashOf(company.id, hash, record.seq, record)
      await service.db.query(`update audit_records set hash = decode($2, 'hex') where id = $1`, [record.id, hash])
    }
  }
const both =
  (...tampers: Tamper[]): Tamper =>
  async (ann) => {
    for (const tamper of tampers) await tamper(ann)
  }

const shiftUp = `update audit_records set seq = seq + 1000000 where company_id = $1 and seq >= 1500 and seq < 1000000`
const shiftDown = `update audit_records set seq = seq - 999999 where company_id = $1 and seq > 1000000`
const insertAt = (
  seq: number,
) => `insert into audit_records (id, company_id, seq, hash, action, outcome, target_type, created_at)
  select gen_random_uuid(), company_id, ${seq}, hash, 'things.invent', 'done', 'thing', created_at
  from audit_records where company_id = $1 and seq = 1499`

const cases: Record<string, [tamper: Tamper, seq: number, reason: string]> = {
  'the action': [edit(`action = 'things.read'`), 1500, 'changed'],
  'the outcome': [edit(`outcome = 'last_owner'`), 1500, 'changed'],
  'the actor': [edit('actor_id = gen_random_uuid()'), 1500, 'changed'],
  'the actor, taken away': [edit('actor_id = null'), 1500, 'changed'],
  'the name of the actor': [edit(`actor_name = 'Eve'`), 1500, 'changed'],
  'the address of the actor': [edit(`actor_email = 'eve@example.com'`), 1500, 'changed'],
  'the type of the target': [edit(`target_type = 'x'`), 1500, 'changed'],
  'the target': [edit(`target_id = 'x'`), 1500, 'changed'],
  'the label of the target': [edit(`target_label = 'x'`), 1500, 'changed'],
  'a value in the changes': [edit(`changes = jsonb_set(changes, '{name,to}', '0')`), 1500, 'changed'],
  'a field in the changes': [edit(`changes = changes || '{"more": {}}'`), 1500, 'changed'],
  'something in the changes that is not shown': [
    edit(`changes = jsonb_set(changes, '{name,by}', '1')`),
    1500,
    'changed',
  ],
  'the changes, to something else': [edit(`changes = '[1]'`), 1500, 'changed'],
  'the address': [edit(`ip = '192.0.2.2'`), 1500, 'changed'],
  'the program': [edit(`user_agent = 'x'`), 1500, 'changed'],
  'the request': [edit(`request_id = 'x'`), 1500, 'changed'],
  'the time, to the end of all days': [edit(`created_at = 'infinity'`), 1500, 'changed'],
  'the time, to before our era': [edit(`created_at = '0044-03-15 00:00:00+00 BC'`), 1500, 'changed'],
  'the time, to a year of five digits': [edit(`created_at = '10000-01-01 00:00:00+00'`), 1500, 'changed'],
  'the time, by the least there is': [edit(`created_at = created_at + interval '1 ms'`), 1500, 'changed'],
  'the id': [edit('id = gen_random_uuid()'), 1500, 'changed'],
  'the hash': [edit(`hash = sha256('')`), 1500, 'changed'],
  'the first record': [edit(`action = 'x'`, 1), 1, 'changed'],
  'the last record': [edit(`action = 'x'`, 2500), 2500, 'changed'],
  'a record that is removed': [by('delete from audit_records where company_id = $1 and seq = 1500'), 1500, 'removed'],
  'many that are removed': [
    by('delete from audit_records where company_id = $1 and seq between 900 and 2100'),
    900,
    'removed',
  ],
  'the first that is removed': [by('delete from audit_records where company_id = $1 and seq = 1'), 1, 'removed'],
  'the last that are cut off': [by('delete from audit_records where company_id = $1 and seq > 2490'), 2491, 'cut_off'],
  'all but the head': [by('delete from audit_records where company_id = $1'), 1, 'cut_off'],
  'a record that is put in': [by(shiftUp, shiftDown, insertAt(1500)), 1500, 'inserted'],
  'a record behind the end': [by(insertAt(2501)), 2501, 'inserted'],
  'a record before the beginning': [by(insertAt(0)), 0, 'inserted'],
  'two neighbours that trade places': [swap(1500, 1501), 1500, 'reordered'],
  'two others that trade places': [swap(1200, 1500), 1200, 'reordered'],
  'a record that is taken out of the chain': [edit('seq = null, hash = null'), 1500, 'removed'],
  'a chain that is computed anew': [both(edit(`action = 'x'`), recompute(1500)), 1001, 'rewritten'],
  'its newest part, computed anew': [both(edit(`action = 'x'`, 2400), recompute(2400)), 2001, 'rewritten'],
  'a chain computed anew with its head': [
    both(
      edit(`action = 'x'`, 2400),
      recompute(2400),
      by(`update audit_heads set hash = (select encode(audit_records.hash, 'hex') from audit_records
        where audit_records.company_id = $1 and seq = 2500) where company_id = $1`),
    ),
    2500,
    'head_forged',
  ],
  'a head that is set back': [
    by(
      'delete from audit_records where company_id = $1 and seq > 2490',
      'update audit_heads set seq = 2490 where company_id = $1',
    ),
    2490,
    'head_forged',
  ],
  'a head that begins later': [
    by(
      'update audit_heads set begins_seq = 10 where company_id = $1',
      'delete from audit_records where company_id = $1 and seq <= 10',
    ),
    2500,
    'head_forged',
  ],
  'the time of the head': [
    by(`update audit_heads set time = now() - interval '1 year' where company_id = $1`),
    2500,
    'head_forged',
  ],
  'the time of the head, to the end of all days': [
    by(`update audit_heads set time = 'infinity' where company_id = $1`),
    2500,
    'head_forged',
  ],
  'the signature of the head': [by(`update audit_heads set signature = '' where company_id = $1`), 2500, 'head_forged'],
  'the key of the head': [by(`update audit_heads set kid = 'x' where company_id = $1`), 2500, 'head_forged'],
  'a head that is removed': [by('delete from audit_heads where company_id = $1'), 0, 'head_removed'],
  'a checkpoint that is removed': [
    by('delete from audit_checkpoints where company_id = $1 and number = 1'),
    2000,
    'checkpoint_removed',
  ],
  'the last checkpoint, removed': [
    by('delete from audit_checkpoints where company_id = $1 and number = 2'),
    2500,
    'checkpoint_removed',
  ],
  'a checkpoint that is changed': [
    by(`update audit_checkpoints set hash = repeat('0', 64) where company_id = $1 and number = 1`),
    1000,
    'checkpoint_forged',
  ],
  'a checkpoint that is moved': [
    by('update audit_checkpoints set seq = 1100 where company_id = $1 and number = 1'),
    1100,
    'checkpoint_forged',
  ],
  'a checkpoint too many': [
    by(`insert into audit_checkpoints select company_id, 3, seq, hash, begins_seq, begins_hash, begins_number, time, kid, signature
        from audit_heads where company_id = $1`),
    2500,
    'checkpoint_forged',
  ],
}

const chainTables = ['audit_records', 'audit_heads', 'audit_checkpoints']

describe('whoever changes the audit in the database is found out by the verification:', () => {
  let ann: Person
  let other: Person
  before(async () => {
    ann = await sealedCompany(service)
    other = await signUp(service.client)
    for (const table of chainTables) await service.db.query(`create table as_sealed_${table} as table ${table}`)
  })

  const restore = async () => {
    for (const table of chainTables)
      await service.db.query(`delete from ${table} where company_id = '${ann.company.id}'`)
    for (const table of chainTables)
      await service.db.query(
        `insert into ${table} select * from as_sealed_${table} where company_id = '${ann.company.id}'`,
      )
  }

  for (const [what, [tamper, seq, reason]] of Object.entries(cases)) {
    it(what, async () => {
      await tamper(ann)
      const verdict = await verifyAudit(ann)
      assert.equal(verdict.valid, false)
      assert.deepEqual({ seq: verdict.firstBad.seq, reason: verdict.firstBad.reason }, { seq, reason })
      if (reason === 'changed') assert.equal(verdict.firstBad.id, await idAt(ann, seq))
      assert.equal((await verifyAudit(other)).valid, true)
      await restore()
      assert.equal((await verifyAudit(ann)).valid, true)
    })
  }
})

describe('a chain that was tampered with', () => {
  it('is not vouched for when it goes on growing', async () => {
    for (const statement of [
      `update audit_records set action = 'x' where company_id = $1 and seq = 1500`,
      `update audit_heads set hash = repeat('0', 64) where company_id = $1`,
      'delete from audit_heads where company_id = $1',
    ]) {
      const ann = await sealedCompany(service)
      await service.db.query(statement, [ann.company.id])
      await addRecords(service, ann.company.id, 30)
      const { firstBad } = await verifyAudit(ann)
      assert.equal((await verifyAudit(ann)).valid, false)
      assert.equal((await ann.api.get('/companies/audit')).status, 200)
      assert.equal((await ann.api.get('/companies/audit/export?format=ndjson')).status, 200)
      assert.deepEqual((await verifyAudit(ann)).firstBad.reason, firstBad.reason)
    }
  })

  it('is told from one that was only read', async () => {
    const ann = await sealedCompany(service)
    const { checkpoint } = await verifyAudit(ann)
    await ann.api.get('/companies/audit')
    const again = await verifyAudit(ann)
    assert.deepEqual(again, { valid: true, firstBad: null, records: 2500, mistimed: 0, checkpoint })
  })
})

describe('whoever changes what is over is not helped by the purge:', () => {
  const tampers: Record<string, Tamper> = {
    'records that are made to look over': by(
      'update audit_settings set retention_days = 90 where company_id = $1',
      `update audit_records set created_at = created_at - interval '60 days' where company_id = $1 and seq < 900`,
    ),
    'a changed record': edit(`actor_name = 'Eve'`, 500),
    'a removed record': by('delete from audit_records where company_id = $1 and seq = 500'),
    'a record that is put in': by(shiftUp.replaceAll('1500', '500'), shiftDown, insertAt(500).replace('1499', '499')),
    'hashes that are computed anew': both(edit(`action = 'x'`, 500), recompute(500)),
    'a forged checkpoint': by(`update audit_checkpoints set hash = repeat('0', 64) where company_id = $1`),
    'the last record, with its hash': both(edit(`action = 'x'`, 1100), recompute(1100)),
  }
  for (const [what, tamper] of Object.entries(tampers)) {
    it(what, async () => {
      const ann = await signUp(service.client)
      const { id } = ann.company
      await addRecords(service, id, 1099)
      await service.db.query(
        `update audit_records set created_at = created_at - interval '60 days' where company_id = $1`,
        [id],
      )
      await verifyAudit(ann)
      await service.db.query('insert into audit_settings (company_id, retention_days) values ($1, 30)', [id])
      await tamper(ann)
      assert.equal((await verifyAudit(ann)).valid, false)
      await assert.rejects(async () => {
        while (await purgeCompany(service.parts, id));
      }, BrokenChain)
      assert.equal((await verifyAudit(ann)).valid, false)
    })
  }
})
