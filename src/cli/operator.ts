import type { AuditActor } from '../features/audit/records.ts'
import { newId } from '../lib/ids.ts'

/** The operator as audit records name one: without an account, with the command in place of a browser. */
export const operatorFor = (command: string, name: string | undefined): AuditActor => ({
  kind: 'operator',
  ip: null,
  name: name === undefined ? 'Operator' : `Operator (${name})`,
  userAgent: `tenantry ${command}`,
  requestId: newId(),
})
