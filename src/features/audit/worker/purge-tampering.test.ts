import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { useTestApp } from '../../../../test/support/app.ts'
import { addRecords, verifyAudit } from '../../../../test/support/audit.ts'
import { signUp } from '../../../../test/support/people.ts'
import {
  combine,
  edit,
  insertAt,
  recompute,
  shiftDown,
  shiftUp,
  statements,
  type Tamper,
} from '../../../../test/support/tampering.ts'
import { BrokenChainError } from '../chain/seal-company.ts'
import { purgeCompany } from './purge-company.ts'

const service = await useTestApp()

describe('the purge deletes no expired records when it finds', () => {
  const tampers: Record<string, Tamper> = {
    'records with an earlier time': statements(
      'update audit_settings set retention_days = 90 where company_id = $1',
      `update audit_records set created_at = created_at - interval '60 days' where company_id = $1 and seq < 900`,
    ),
    'a changed record': edit(`actor_name = 'Eve'`, 500),
    'a removed record': statements('delete from audit_records where company_id = $1 and seq = 500'),
    'a record that is inserted': statements(
      shiftUp.replaceAll('1500', '500'),
      shiftDown,
      insertAt(500).replace('1499', '499'),
    ),
    'recomputed hashes': combine(edit(`action = 'x'`, 500), recompute(500)),
    'a forged checkpoint': statements(`update audit_checkpoints set hash = repeat('0', 64) where company_id = $1`),
    'a changed last record with a recomputed hash': combine(edit(`action = 'x'`, 1100), recompute(1100)),
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
      await tamper(service, id)
      assert.equal((await verifyAudit(ann)).valid, false)
      await assert.rejects(async () => {
        while (await purgeCompany(service.auditDeps, id));
      }, BrokenChainError)
      assert.equal((await verifyAudit(ann)).valid, false)
    })
  }
})
