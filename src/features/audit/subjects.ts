import type { AuditTargetType } from '../../access/actions.ts'

/** What an action was done to, as an audit record names it. */
export interface Subject {
  type: AuditTargetType
  id: string
  label: string
}

export const accountSubject = ({ id, email }: { id: string; email: string }) =>
  ({ type: 'account', id, label: email }) as const satisfies Subject

export const memberSubject = ({ id, email }: { id: string; email: string }) =>
  ({ type: 'member', id, label: email }) as const satisfies Subject

export const companySubject = ({ id, name }: { id: string; name: string }) =>
  ({ type: 'company', id, label: name }) as const satisfies Subject

export const roleSubject = ({ id, name }: { id: string; name: string }) =>
  ({ type: 'role', id, label: name }) as const satisfies Subject

export const invitationLinkSubject = ({ id }: { id: string }) =>
  ({ type: 'invitation_link', id, label: '' }) as const satisfies Subject

export const invitationSubject = ({ id, email }: { id: string; email: string }) =>
  ({ type: 'invitation', id, label: email }) as const satisfies Subject

export const branchSubject = ({ id, name }: { id: string; name: string }) =>
  ({ type: 'branch', id, label: name }) as const satisfies Subject

export const domainSubject = ({ id, name }: { id: string; name: string }) =>
  ({ type: 'domain', id, label: name }) as const satisfies Subject

export const joinRequestSubject = ({ id, email }: { id: string; email: string }) =>
  ({ type: 'join_request', id, label: email }) as const satisfies Subject
