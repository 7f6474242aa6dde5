import { sql } from 'kysely'
import type { z } from 'zod'
import type { CompanyActor } from '../../access/actors.ts'
import type { Tx } from '../../database/open.ts'
import { record } from './records.ts'
import type { AuditSettingsUpdate } from './schemas.ts'

export interface AuditSettings {
  /** Null: for ever. */
  retentionDays: number | null
}

export async function getSettings(tx: Tx): Promise<AuditSettings> {
  const row = await tx.selectFrom('audit_settings').select('retention_days').executeTakeFirst()
  return { retentionDays: row?.retention_days ?? null }
}

export async function updateSettings(
  tx: Tx,
  actor: CompanyActor,
  update: z.output<typeof AuditSettingsUpdate>,
): Promise<AuditSettings> {
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
  await record(
    tx,
    actor,
    'audit.update_settings',
    { type: 'company', id: actor.companyId, label: '' },
    {
      retentionDays: { from: now.retentionDays, to: retentionDays },
    },
  )
  return { retentionDays }
}
