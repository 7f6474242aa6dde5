import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { useTestApp } from '../../../../test/support/app.ts'
import { addRecords, sealedCompany, verifyAudit } from '../../../../test/support/audit.ts'
import { type Person, signUp } from '../../../../test/support/people.ts'
import {
  combine,
  edit,
  insertAt,
  recompute,
  replaceActor,
  shiftDown,
  shiftUp,
  statements,
  swap,
  type Tamper,
} from '../../../../test/support/tampering.ts'

const service = await useTestApp()

const idAt = async ({ company }: Person, seq: number) => {
  const [row] = await service.db.query(`select id from audit_records where company_id = $1 and seq = $2`, [
    company.id,
    seq,
  ])
  return row?.id ?? null
}

const erased = `actor_name = '', actor_email = '', ip = null, user_agent = '', request_id = '', actor_salt = null`

const cases: Record<string, [tamper: Tamper, seq: number, reason: string]> = {
  'the action': [edit(`action = 'things.read'`), 1500, 'changed'],
  'the outcome': [edit(`outcome = 'last_owner'`), 1500, 'changed'],
  'the actor': [edit('actor_id = gen_random_uuid()'), 1500, 'changed'],
  'the actor, removed': [edit('actor_id = null'), 1500, 'changed'],
  'the name of the actor': [edit(`actor_name = 'Eve'`), 1500, 'changed'],
  'the email of the actor': [edit(`actor_email = 'eve@example.com'`), 1500, 'changed'],
  'the type of the target': [edit(`target_type = 'x'`), 1500, 'changed'],
  'the target': [edit(`target_id = 'x'`), 1500, 'changed'],
  'the label of the target': [edit(`target_label = 'x'`), 1500, 'changed'],
  'a value in the changes': [edit(`changes = jsonb_set(changes, '{name,to}', '0')`), 1500, 'changed'],
  'a field in the changes': [edit(`changes = changes || '{"more": {}}'`), 1500, 'changed'],
  'a part of the changes that is not shown': [edit(`changes = jsonb_set(changes, '{name,by}', '1')`), 1500, 'changed'],
  'the changes, to another type': [edit(`changes = '[1]'`), 1500, 'changed'],
  'the IP address': [edit(`ip = '192.0.2.2'`), 1500, 'changed'],
  'the user agent': [edit(`user_agent = 'x'`), 1500, 'changed'],
  'the request id': [edit(`request_id = 'x'`), 1500, 'changed'],
  'the time, to infinity': [edit(`created_at = 'infinity'`), 1500, 'changed'],
  'the time, to a year BC': [edit(`created_at = '0044-03-15 00:00:00+00 BC'`), 1500, 'changed'],
  'the time, to a year of five digits': [edit(`created_at = '10000-01-01 00:00:00+00'`), 1500, 'changed'],
  'the time, by a millisecond': [edit(`created_at = created_at + interval '1 ms'`), 1500, 'changed'],
  'the id': [edit('id = gen_random_uuid()'), 1500, 'changed'],
  'the hash': [edit(`hash = sha256('')`), 1500, 'changed'],
  'the kind of the actor': [edit(`actor_kind = 'operator'`), 1500, 'changed'],
  'by what the actor was let in': [edit(`via_type = 'session', via_id = gen_random_uuid()`), 1500, 'changed'],
  'the salt of the actor, by one byte': [
    edit('actor_salt = set_byte(actor_salt, 7, get_byte(actor_salt, 7) # 1)'),
    1500,
    'changed',
  ],
  'the salt of the target, by one byte': [
    edit('target_salt = set_byte(target_salt, 7, get_byte(target_salt, 7) # 1)'),
    1500,
    'changed',
  ],
  'a salt, to one that is the same key': [edit(`actor_salt = actor_salt || '\\x00'`), 1500, 'changed'],
  'the salts of a record, swapped': [edit('actor_salt = target_salt, target_salt = actor_salt'), 1500, 'changed'],
  'the salts of two records, swapped': [
    statements(`update audit_records set actor_salt = (
      select actor_salt from audit_records other where other.company_id = $1 and other.seq = 3001 - audit_records.seq)
      where company_id = $1 and seq in (1500, 1501)`),
    1500,
    'changed',
  ],
  'a salt, removed': [edit('actor_salt = null'), 1500, 'changed'],
  'a commitment, beside the salt': [edit(`actor_commitment = sha256('')`), 1500, 'changed'],
  'what was erased, with another commitment': [edit(`${erased}, actor_commitment = sha256('')`), 1500, 'changed'],
  'what was erased, with a commitment that is none': [edit(`${erased}, actor_commitment = ''`), 1500, 'changed'],
  'another name, beside the right commitment': [replaceActor, 1500, 'changed'],
  'the version': [edit('v = 1'), 1500, 'changed'],
  'the version, with recomputed hashes': [combine(edit('v = 1'), recompute(1500)), 1001, 'rewritten'],
  'the version, to one before all': [edit('v = 0'), 1500, 'changed'],
  'the first record': [edit(`action = 'x'`, 1), 1, 'changed'],
  'the last record': [edit(`action = 'x'`, 2500), 2500, 'changed'],
  'a record that is removed': [
    statements('delete from audit_records where company_id = $1 and seq = 1500'),
    1500,
    'removed',
  ],
  'many records that are removed': [
    statements('delete from audit_records where company_id = $1 and seq between 900 and 2100'),
    900,
    'removed',
  ],
  'the first record, removed': [
    statements('delete from audit_records where company_id = $1 and seq = 1'),
    1,
    'removed',
  ],
  'the last records, cut off': [
    statements('delete from audit_records where company_id = $1 and seq > 2490'),
    2491,
    'cut_off',
  ],
  'all records, removed': [statements('delete from audit_records where company_id = $1'), 1, 'cut_off'],
  'a record that is inserted': [statements(shiftUp, shiftDown, insertAt(1500)), 1500, 'inserted'],
  'a record after the end': [statements(insertAt(2501)), 2501, 'inserted'],
  'a record before the start': [statements(insertAt(0)), 0, 'inserted'],
  'two adjacent records that are swapped': [swap(1500, 1501), 1500, 'reordered'],
  'two distant records that are swapped': [swap(1200, 1500), 1200, 'reordered'],
  'a record that is unsealed': [edit('seq = null, hash = null'), 1500, 'removed'],
  'a chain with recomputed hashes': [combine(edit(`action = 'x'`), recompute(1500)), 1001, 'rewritten'],
  'the newest part, with recomputed hashes': [combine(edit(`action = 'x'`, 2400), recompute(2400)), 2001, 'rewritten'],
  'a chain and a head with recomputed hashes': [
    combine(
      edit(`action = 'x'`, 2400),
      recompute(2400),
      statements(`update audit_heads set hash = (select encode(audit_records.hash, 'hex') from audit_records
        where audit_records.company_id = $1 and seq = 2500) where company_id = $1`),
    ),
    2500,
    'head_forged',
  ],
  'a head that is set back': [
    statements(
      'delete from audit_records where company_id = $1 and seq > 2490',
      'update audit_heads set seq = 2490 where company_id = $1',
    ),
    2490,
    'head_forged',
  ],
  'a head with a later start': [
    statements(
      'update audit_heads set begins_seq = 10 where company_id = $1',
      'delete from audit_records where company_id = $1 and seq <= 10',
    ),
    2500,
    'head_forged',
  ],
  'the time of the head': [
    statements(`update audit_heads set time = now() - interval '1 year' where company_id = $1`),
    2500,
    'head_forged',
  ],
  'the time of the head, to infinity': [
    statements(`update audit_heads set time = 'infinity' where company_id = $1`),
    2500,
    'head_forged',
  ],
  'the signature of the head': [
    statements(`update audit_heads set signature = '' where company_id = $1`),
    2500,
    'head_forged',
  ],
  'the key of the head': [statements(`update audit_heads set kid = 'x' where company_id = $1`), 2500, 'head_forged'],
  'a head that is removed': [statements('delete from audit_heads where company_id = $1'), 0, 'head_removed'],
  'a checkpoint that is removed': [
    statements('delete from audit_checkpoints where company_id = $1 and number = 1'),
    2000,
    'checkpoint_removed',
  ],
  'the last checkpoint, removed': [
    statements('delete from audit_checkpoints where company_id = $1 and number = 2'),
    2500,
    'checkpoint_removed',
  ],
  'a checkpoint that is changed': [
    statements(`update audit_checkpoints set hash = repeat('0', 64) where company_id = $1 and number = 1`),
    1000,
    'checkpoint_forged',
  ],
  'a checkpoint that is moved': [
    statements('update audit_checkpoints set seq = 1100 where company_id = $1 and number = 1'),
    1100,
    'checkpoint_forged',
  ],
  'a checkpoint that is added': [
    statements(`insert into audit_checkpoints select company_id, 3, seq, hash, begins_seq, begins_hash, begins_number, time, kid, signature
        from audit_heads where company_id = $1`),
    2500,
    'checkpoint_forged',
  ],
}

const chainTables = ['audit_records', 'audit_heads', 'audit_checkpoints']

describe('the verification finds what was changed by hand in the database:', () => {
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
      await tamper(service, ann.company.id)
      const verdict = await verifyAudit(ann)
      assert.equal(verdict.valid, false)
      assert.deepEqual({ seq: verdict.firstInvalid.seq, reason: verdict.firstInvalid.reason }, { seq, reason })
      if (reason === 'changed') assert.equal(verdict.firstInvalid.id, await idAt(ann, seq))
      assert.equal((await verifyAudit(other)).valid, true)
      await restore()
      assert.equal((await verifyAudit(ann)).valid, true)
    })
  }
})

describe('a chain that was tampered with', () => {
  it('stays invalid when records are added', async () => {
    for (const statement of [
      `update audit_records set action = 'x' where company_id = $1 and seq = 1500`,
      `update audit_heads set hash = repeat('0', 64) where company_id = $1`,
      'delete from audit_heads where company_id = $1',
    ]) {
      const ann = await sealedCompany(service)
      await service.db.query(statement, [ann.company.id])
      await addRecords(service, ann.company.id, 30)
      const { firstInvalid } = await verifyAudit(ann)
      assert.equal((await verifyAudit(ann)).valid, false)
      assert.equal((await ann.api.get('/companies/audit')).status, 200)
      assert.equal((await ann.api.get('/companies/audit/export?format=ndjson')).status, 200)
      assert.deepEqual((await verifyAudit(ann)).firstInvalid.reason, firstInvalid.reason)
    }
  })

  it('is told from a chain that was only read', async () => {
    const ann = await sealedCompany(service)
    const { checkpoint } = await verifyAudit(ann)
    await ann.api.get('/companies/audit')
    const again = await verifyAudit(ann)
    assert.deepEqual(again, { valid: true, firstInvalid: null, records: 2500, misdated: 0, checkpoint })
  })
})
