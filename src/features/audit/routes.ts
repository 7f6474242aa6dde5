import { z } from 'zod'
import type { Deps } from '../../deps.ts'
import type { Api } from '../../http/routes.ts'
import { verifyCompany } from './chain/verify-company.ts'
import { exportRecords } from './export/export-records.ts'
import { exportFormats } from './export/schemas.ts'
import { listRecords } from './list.ts'
import { AuditQuery, AuditRecord, AuditSettings, AuditSettingsUpdate, ExportQuery, Verdict } from './schemas.ts'
import { getSettings, updateSettings } from './settings.ts'

/** A chain of many million records takes minutes. */
const VERIFYING_MS = 10 * 60_000

export function audit(api: Api, service: Deps): void {
  const { keys } = service

  api.walk(
    '/companies/audit',
    {
      access: { company: 'audit:read' },
      action: 'audit.list',
      docs: {
        operationId: 'listAuditRecords',
        summary: 'What was done and refused in the company, the newest first',
      },
      request: { query: AuditQuery },
      response: { data: AuditRecord },
      problems: ['cursor_invalid'],
    },
    ({ tx, actor, query }) => listRecords(tx, keys, actor.companyId, query),
  )

  api.get(
    '/companies/audit/verify',
    {
      access: { company: 'audit:read' },
      action: 'audit.verify',
      docs: {
        operationId: 'verifyAuditLog',
        summary: 'Is the audit as it was written?',
        description: 'Seals what is open, then goes over all records. Names the first that was tampered with.',
      },
      response: { data: Verdict, timeoutMs: VERIFYING_MS },
    },
    ({ actor }) => verifyCompany(service, actor.companyId),
  )

  api.download(
    '/companies/audit/export',
    {
      access: { company: 'audit:read' },
      action: 'audit.export',
      docs: {
        operationId: 'exportAuditRecords',
        summary: 'All records as a file',
        description: 'As NDJSON without a filter it can be verified offline, with the public keys alone.',
      },
      request: { query: ExportQuery },
      response: {
        data: z.string(),
        mediaTypes: exportFormats,
      },
      problems: ['too_many_exports'],
    },
    ({ tx, actor, query }) => exportRecords(tx, service, actor, query),
  )

  api.get(
    '/companies/audit/settings',
    {
      access: { company: 'audit:read' },
      action: 'audit.get_settings',
      docs: {
        operationId: 'getAuditSettings',
        summary: 'How long records are kept',
      },
      response: { data: AuditSettings },
    },
    ({ tx }) => getSettings(tx),
  )

  api.patch(
    '/companies/audit/settings',
    {
      access: { company: 'companies:update' },
      action: 'audit.update_settings',
      docs: {
        operationId: 'updateAuditSettings',
        summary: 'Change how long records are kept',
        description: 'What is over is removed for good. A record tells of it.',
      },
      request: { body: AuditSettingsUpdate },
      response: { data: AuditSettings, message: 'The settings are saved.' },
    },
    ({ tx, actor, body }) => updateSettings(tx, actor, body),
  )
}
