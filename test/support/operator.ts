import type { AuditActor } from '../../src/features/audit/records.ts'

/** An operator at the command line, as the audit log names one. */
export const OPERATOR: AuditActor = {
  kind: 'operator',
  ip: null,
  name: 'Operator (Olga)',
  userAgent: 'tenantry test',
  requestId: 'operator-1',
}
