import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'
import pg from 'pg'
import { useTestApp } from '../../../../test/support/app.ts'
import {
  addLargeRecords,
  addRecords,
  callsOf,
  changeRetention,
  sealedCompany,
  verifyAudit,
} from '../../../../test/support/audit.ts'
import { codeOf, outcome } from '../../../../test/support/catalogue.ts'
import { signUp } from '../../../../test/support/people.ts'
import { Database } from '../../../database/open.ts'
import { asWorker } from '../../../database/scopes.ts'
import { createAuditDeps } from '../deps.ts'
import { sealCompany } from './seal-company.ts'

const service = await useTestApp()

describe('sealing', () => {
  it('builds one chain when many nodes seal a company at once while others write', async () => {
    for (let round = 0; round < 3; round++) {
      const ann = await signUp(service.client)
      await addRecords(service, ann.company.id, 3000)
      const nodes = Array.from({ length: 5 }, () =>
        createAuditDeps({ ...service.auditDeps, database: new Database(service.db.target) }),
      )
      const seals = nodes.map((node) => sealCompany(node, ann.company.id))
      const writes = Array.from({ length: 20 }, (_, index) => changeRetention(ann, index))
      const sealed = await Promise.all(seals)
      await Promise.all(writes)
      const rest = await sealCompany(service.auditDeps, ann.company.id)
      await Promise.all(nodes.map(({ database }) => database.close()))
      assert.equal(
        sealed.reduce((sum, count) => sum + count, rest),
        3021,
      )
      const { valid, records } = await verifyAudit(ann)
      assert.deepEqual({ valid, records }, { valid: true, records: 3021 })
    }
  })

  it('leaves nothing half done when its connection breaks', async () => {
    const ann = await signUp(service.client)
    await addRecords(service, ann.company.id, 5000)
    const sealing = sealCompany(service.auditDeps, ann.company.id).catch(() => 'died')
    await service.db.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and usename = 'tenantry' and pid <> pg_backend_pid()`)
    await sealing
    await service.client.get('/health/ready')
    const { valid, records } = await verifyAudit(ann)
    assert.deepEqual({ valid, records }, { valid: true, records: 5001 })
  })

  it('leaves a record of a newer version, and all after it, to a node that knows it', async () => {
    const ann = await signUp(service.client)
    const { id } = ann.company
    await addRecords(service, id, 5)
    const setVersion = (version: number) =>
      service.db.query(
        `update audit_records set v = $2 where id =
          (select id from audit_records where company_id = $1 order by created_at, id offset 3 limit 1)`,
        [id, version],
      )
    await setVersion(3)
    assert.deepEqual([await sealCompany(service.auditDeps, id), await sealCompany(service.auditDeps, id)], [3, 0])
    await setVersion(1)
    assert.equal(await sealCompany(service.auditDeps, id), 3)
    const { valid, records } = await verifyAudit(ann)
    assert.deepEqual({ valid, records }, { valid: true, records: 6 })

    await setVersion(3)
    const { firstInvalid } = await verifyAudit(ann)
    assert.deepEqual([firstInvalid.seq, firstInvalid.reason], [4, 'unknown_version'])
  })

  it('never waits for readers', async () => {
    const ann = await signUp(service.client)
    const { promise, resolve } = Promise.withResolvers<void>()
    const readers = Array.from({ length: 20 }, () => service.auditDeps.limitReads(() => promise))
    assert.equal(await sealCompany(service.auditDeps, ann.company.id), 1)
    resolve()
    await Promise.all(readers)
  })

  it('seals large records in smaller batches, all in one round', async () => {
    const ann = await signUp(service.client)
    await addLargeRecords(service, ann.company.id, 500)
    const { mock: queries } = mock.method(pg.Client.prototype, 'query')
    const sealed = await sealCompany(service.auditDeps, ann.company.id)
    const batches = callsOf(queries, /seal_audit_records/)
    queries.restore()
    assert.equal(sealed, 501)
    assert.ok(batches >= 4, `${batches} batches`)
    const { valid, records } = await verifyAudit(ann)
    assert.deepEqual({ valid, records }, { valid: true, records: 501 })
  })
})

describe('the database roles of the service', () => {
  it('have no right to set the position, time or hash of a record, or to move a head', async () => {
    const ann = await sealedCompany(service)
    const tenant = { role: 'tenantry_tenant', companyId: ann.company.id, accountId: ann.id } as const
    const insert = (column: string, value: string) =>
      `insert into audit_records (id, company_id, action, outcome, target_type, ${column}) values (gen_random_uuid(), '${ann.company.id}', 'x', 'done', 'x', ${value})`
    for (const statement of [
      insert('seq', '7000'),
      insert('hash', `'x'`),
      insert('created_at', 'now()'),
      insert('actor_salt', `'x'`),
      insert('target_commitment', `'x'`),
      'update audit_heads set seq = 1',
      'delete from audit_heads',
      'delete from audit_checkpoints',
      'update audit_settings set company_id = gen_random_uuid()',
      `insert into audit_settings (company_id) values ('${ann.company.id}')`,
      'insert into audit_checkpoints select * from audit_heads',
      `select seal_audit_records(null, null, null, null, null, null, null, null, null, null, null, null)`,
    ])
      assert.equal(await outcome(service.database, tenant, statement), 'refused', statement)
    for (const table of ['audit_records', 'audit_heads', 'audit_checkpoints', 'audit_settings'])
      assert.equal(await outcome(service.database, asWorker, `select from ${table}`), 'refused', table)
  })

  it('can’t seal a record twice or out of order', async () => {
    const ann = await sealedCompany(service)
    const { checkpoint } = await verifyAudit(ann)
    const [row] = await service.db.query<{ id: string }>(
      'select id from audit_records where company_id = $1 and seq = 7',
      [ann.company.id],
    )
    const seal = (number: number, seq: number) =>
      outcome(
        service.database,
        asWorker,
        `select seal_audit_records(?::uuid, ?, array[?::uuid], array[repeat('0', 64)], ${number}, ${seq}, now(), 'x', 'x', 'x')`,
        ann.company.id,
        checkpoint.signature,
        row?.id as string,
      )
    await assert.rejects(seal(checkpoint.number, 2501), (error) => codeOf(error) === 'P0001')
    await addRecords(service, ann.company.id, 1)
    await assert.rejects(seal(checkpoint.number, 2600), (error) => codeOf(error) === 'P0001')
    assert.equal((await verifyAudit(ann)).valid, true)
  })
})
