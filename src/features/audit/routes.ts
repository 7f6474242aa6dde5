import { z } from 'zod'
import { WITH_FACTOR } from '../../access/freshness.ts'
import type { Api } from '../../http/routes.ts'
import { verifyCompany } from './chain/verify-company.ts'
import type { AuditDeps } from './deps.ts'
import { exportRecords } from './export/export-records.ts'
import { exportFormats } from './export/schemas.ts'
import { listRecords } from './list.ts'
import { AuditQuery, AuditRecord, AuditSettings, AuditSettingsUpdate, AuditVerdict, ExportQuery } from './schemas.ts'
import { getSettings, updateSettings } from './settings.ts'

/** A chain of many millions of records takes minutes. */
const VERIFY_MS = 10 * 60_000

export function audit(api: Api, deps: AuditDeps): void {
  api.listByCursor(
    '/companies/audit',
    {
      access: { company: 'audit:read' },
      action: 'audit.list',
      docs: {
        operationId: 'listAuditRecords',
        summary: 'List audit log records',
        description: 'Completed and refused actions in the company, newest first.',
      },
      request: { query: AuditQuery },
      response: { data: AuditRecord },
      problems: ['cursor_invalid'],
    },
    ({ tx, actor, query }) => listRecords(tx, deps.keys, actor, query),
  )

  api.get(
    '/companies/audit/verify',
    {
      access: { company: 'audit:read' },
      action: 'audit.verify',
      docs: {
        operationId: 'verifyAuditLog',
        summary: 'Verify the audit log',
        description:
          'Seals pending records, then checks the whole chain. Returns the first record that was tampered with, if any.',
      },
      response: { data: AuditVerdict, timeoutMs: VERIFY_MS },
    },
    async ({ actor }) => verifyCompany(deps, (await actor()).companyId),
  )

  api.download(
    '/companies/audit/export',
    {
      access: { company: 'audit:read' },
      action: 'audit.export',
      docs: {
        operationId: 'exportAuditRecords',
        summary: 'Export the audit log',
        description: 'An unfiltered NDJSON export can be verified offline with the public keys.',
      },
      request: { query: ExportQuery },
      response: { data: z.string(), mediaTypes: exportFormats },
      problems: ['too_many_exports'],
    },
    async ({ tx, actor, query }) => exportRecords(tx, deps, await actor(), query),
  )

  api.get(
    '/companies/audit/settings',
    {
      access: { company: 'audit:read' },
      action: 'audit.get_settings',
      docs: {
        operationId: 'getAuditSettings',
        summary: 'Get audit log settings',
        description: 'How long records are kept.',
      },
      response: { data: AuditSettings },
    },
    ({ tx }) => getSettings(tx),
  )

  api.patch(
    '/companies/audit/settings',
    {
      access: { company: 'companies:update' },
      fresh: WITH_FACTOR,
      action: 'audit.update_settings',
      docs: {
        operationId: 'updateAuditSettings',
        summary: 'Update audit log settings',
        description: 'Records older than the retention period are permanently deleted. The change itself is logged.',
      },
      request: { body: AuditSettingsUpdate },
      response: { data: AuditSettings, message: 'Settings saved.' },
    },
    ({ tx, actor, body }) => updateSettings(tx, actor, body),
  )
}
