import { sql } from 'kysely'
import type { CompanyActor } from '../../access/actors.ts'
import type { Tx } from '../../database/open.ts'
import { record } from './records.ts'
import type { AuditSettings, AuditSettingsUpdate } from './schemas.ts'

export async function getSettings(tx: Tx): Promise<AuditSettings> {
  const row = await tx.selectFrom('audit_settings').select('retention_days').executeTakeFirst()
  return { retentionDays: row?.retention_days ?? null }
}

export async function updateSettings(tx: Tx, actor: CompanyActor, update: AuditSettingsUpdate): Promise<AuditSettings> {
  const now = await getSettings(tx)
  const { retentionDays = now.retentionDays } = update
  if (retentionDays === now.retentionDays) return now

  await tx
    .insertInto('audit_settings')
    .values({ retention_days: retentionDays })
    .onConflict((conflict) =>
      conflict.column('company_id').doUpdateSet({ retention_days: retentionDays, updated_at: sql`now()` }),
    )
    .execute()
  const company = { type: 'company', id: actor.companyId, label: '' } as const
  await record(tx, actor, 'audit.update_settings', company, {
    retentionDays: { from: now.retentionDays, to: retentionDays },
  })
  return { retentionDays }
}
