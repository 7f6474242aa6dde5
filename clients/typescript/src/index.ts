export type { RetryOptions } from './attempts.ts'
export type { AuditPage } from './audit.ts'
export { type ClientOptions, createClient, type Tenantry } from './client.ts'
export type { CompanyScope } from './company.ts'
export { createPasskey, getPasskey } from './passkeys.ts'
export { type ClientCode, Problem, type ProblemCode, type ServiceCode } from './problem.ts'
export type { components, operations, paths } from './schema.ts'
export type { PasswordChangeRequired, SessionState, SignedIn, SignedOut } from './state.ts'
export { memoryStore, type TokenStore, type Tokens } from './tokens.ts'
export type {
  Account,
  AccountSession,
  AuditRecord,
  Branch,
  CallOptions,
  Company,
  CompanySummary,
  Domain,
  Edited,
  EditOptions,
  Invitation,
  InvitationLink,
  JoinableCompany,
  JoinRequest,
  Member,
  NonCompliantMember,
  OwnInvitation,
  Page,
  PermissionName,
  Policy,
  PolicyImpact,
  Role,
  Versioned,
} from './types.ts'
