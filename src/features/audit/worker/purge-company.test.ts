import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { KyselyPlugin } from 'kysely'
import { useTestApp } from '../../../../test/support/app.ts'
import { addRecords, changeRetention, sealedCompany, verifyAudit } from '../../../../test/support/audit.ts'
import { codeOf, outcome } from '../../../../test/support/catalogue.ts'
import { type Person, signUp } from '../../../../test/support/people.ts'
import type { Database } from '../../../database/open.ts'
import { asWorker } from '../../../database/scopes.ts'
import { Problem } from '../../../problems.ts'
import { sealCompany } from '../chain/seal-company.ts'
import { verifyChain } from '../chain/verify-company.ts'
import { purgeCompany } from './purge-company.ts'

const service = await useTestApp()

describe('expired records', () => {
  const purgeAll = async ({ company }: Person) => {
    let batches = 0
    while (await purgeCompany(service.auditDeps, company.id)) batches++
    return batches
  }

  it('are deleted from the start of the chain, which stays valid, and a record says so', async () => {
    const ann = await signUp(service.client)
    await ann.api.patch('/companies/audit/settings', { retentionDays: 30 })
    await addRecords(service, ann.company.id, 2500)
    await service.db.query(
      `update audit_records set created_at = created_at - interval '60 days'
      where company_id = $1 and action = 'branches.update' and target_id <> 'T-2500'`,
      [ann.company.id],
    )
    await verifyAudit(ann)
    assert.equal(await purgeAll(ann), 3)

    const { valid, records, checkpoint } = await verifyAudit(ann)
    assert.deepEqual({ valid, records, begins: checkpoint.begins.seq }, { valid: true, records: 6, begins: 2499 })
    const shown = (await ann.api.get('/companies/audit')).body.data
    assert.equal(shown.filter(({ action }: { action: string }) => action === 'branches.update').length, 1)
    const purges = shown.filter(({ action }: { action: string }) => action === 'audit.purge')
    assert.deepEqual(purges[0].changes, { seq: { from: 2001, to: 2499 } })
    assert.deepEqual(purges[0].actor, { id: null, kind: 'service', name: '', email: '' })
    const kept = await service.db.query('select from audit_checkpoints where company_id = $1 and seq <= 2499', [
      ann.company.id,
    ])
    assert.equal(kept.length, 0)
  })

  it('are none without a retention period, and none that are younger', async () => {
    const ann = await sealedCompany(service)
    await service.db.query(
      `update audit_records set created_at = created_at - interval '60 days' where company_id = $1`,
      [ann.company.id],
    )
    assert.equal(await purgeAll(ann), 0)
    const bob = await sealedCompany(service)
    await bob.api.patch('/companies/audit/settings', { retentionDays: 30 })
    assert.equal(await purgeAll(bob), 0)
  })

  /** The database, but `disturb` runs after each query for a head, before its result is known. */
  function disturbed(disturb: () => Promise<unknown>): Database {
    const readings = new WeakSet<object>()
    const plugin: KyselyPlugin = {
      transformQuery({ node, queryId }) {
        if (node.kind === 'SelectQueryNode' && JSON.stringify(node).includes('"audit_heads"')) readings.add(queryId)
        return node
      },
      async transformResult({ result, queryId }) {
        if (readings.has(queryId)) await disturb()
        return result
      },
    }
    return { autocommit: (scope) => service.database.autocommit(scope).withPlugin(plugin) } as Database
  }

  /** A company with many expired records. */
  async function oldCompany(count: number): Promise<Person> {
    const ann = await signUp(service.client)
    await ann.api.patch('/companies/audit/settings', { retentionDays: 30 })
    await addRecords(service, ann.company.id, count)
    await service.db.query(
      `update audit_records set created_at = created_at - interval '60 days'
      where company_id = $1 and action = 'branches.update'`,
      [ann.company.id],
    )
    await sealCompany(service.auditDeps, ann.company.id)
    return ann
  }

  it('are deleted at the second attempt when the head has moved meanwhile', async () => {
    const ann = await oldCompany(500)
    let times = 0
    const database = disturbed(async () => {
      if (times++ > 0) return
      await addRecords(service, ann.company.id, 1)
      assert.equal(await sealCompany(service.auditDeps, ann.company.id), 1)
    })
    assert.equal(await purgeCompany({ ...service.auditDeps, database }, ann.company.id), true)
    const { valid, checkpoint } = await verifyAudit(ann)
    assert.deepEqual({ valid, begins: checkpoint.begins.seq }, { valid: true, begins: 500 })
  })

  it('never look like tampering when they are deleted during a verification', async () => {
    const ann = await oldCompany(2500)
    let reads = 0
    const database = disturbed(async () => {
      if (reads++ % 2 === 0) assert.equal(await purgeCompany(service.auditDeps, ann.company.id), true)
    })
    const verifying = verifyChain({ ...service.auditDeps, database }, ann.company.id)
    await assert.rejects(verifying, (error) => {
      assert.ok(error instanceof Problem)
      assert.deepEqual([error.code, error.context.retryAfterSeconds], ['database_unavailable', 2])
      return true
    })
    assert.equal((await verifyAudit(ann)).valid, true)
  })

  it('are determined by the database, which refuses to delete others', async () => {
    const ann = await sealedCompany(service)
    await ann.api.patch('/companies/audit/settings', { retentionDays: 30 })
    const { checkpoint } = await verifyAudit(ann)
    const purge = outcome(
      service.database,
      asWorker,
      `select purge_audit_records(?::uuid, ?, 10, 'x', 0, now(), 'x', 'x', gen_random_uuid())`,
      ann.company.id,
      checkpoint.signature,
    )
    await assert.rejects(purge, (error) => codeOf(error) === 'P0001')
    assert.equal((await verifyAudit(ann)).valid, true)
  })

  it('are deleted once while others purge, seal, verify and write', async () => {
    const ann = await signUp(service.client)
    await ann.api.patch('/companies/audit/settings', { retentionDays: 30 })
    await addRecords(service, ann.company.id, 3000)
    await service.db.query(
      `update audit_records set created_at = created_at - interval '200 days'
      where company_id = $1 and action = 'branches.update'`,
      [ann.company.id],
    )
    await sealCompany(service.auditDeps, ann.company.id)
    const work = Array.from({ length: 5 }, (_, index) => [
      purgeAll(ann),
      sealCompany(service.auditDeps, ann.company.id),
      changeRetention(ann, index),
    ]).flat()
    const verdicts = await Promise.all(Array.from({ length: 5 }, () => verifyAudit(ann)))
    assert.ok(
      verdicts.every(({ valid }) => valid),
      JSON.stringify(verdicts.find(({ valid }) => !valid)?.firstInvalid),
    )
    await Promise.all(work)
    await purgeAll(ann)
    const { valid, checkpoint } = await verifyAudit(ann)
    assert.deepEqual({ valid, begins: checkpoint.begins.seq }, { valid: true, begins: 3000 })
  })
})
