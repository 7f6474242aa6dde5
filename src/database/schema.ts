import type { ColumnType, Generated } from 'kysely'

/** A timestamp leaves the database as ISO 8601 text in UTC (see session.ts) and may be written as a Date or text. */
type Timestamp = ColumnType<string, string | Date, string | Date>
type Stamped = ColumnType<string, string | Date | undefined, string | Date>
type Json<T> = ColumnType<T, string | undefined, string>

/** The tables that the service uses. schema.test.ts compares them with the database. */
export interface Schema {
  companies: Companies
  slugs: Slugs
  accounts: Accounts
  passwords: Passwords
  sessions: Sessions
  second_factors: SecondFactors
  recovery_codes: RecoveryCodes
  challenges: Challenges
  second_factor_attempts: SecondFactorAttempts
  one_time_links: OneTimeLinks
  email_change_undos: EmailChangeUndos
  factor_change_undos: FactorChangeUndos
  factor_resets: FactorResets
  password_attempts: PasswordAttempts
  known_networks: KnownNetworks
  mailbox_codes: MailboxCodes
  link_requests: LinkRequests
  sent_links: SentLinks
  roles: Roles
  role_counters: RoleCounters
  memberships: Memberships
  membership_roles: MembershipRoles
  company_counters: CompanyCounters
  branches: Branches
  membership_branches: MembershipBranches
  ownership_offers: OwnershipOffers
  company_domains: CompanyDomains
  company_domain_roles: CompanyDomainRoles
  domain_checks: DomainChecks
  domain_proofs: DomainProofs
  join_requests: JoinRequests
  invitations: Invitations
  invitation_roles: InvitationRoles
  invitation_branches: InvitationBranches
  invitation_links: InvitationLinks
  invitation_link_roles: InvitationLinkRoles
  former_members: FormerMembers
  former_addresses: FormerAddresses
  former_owners: FormerOwners
  audit_records: AuditRecords
  audit_heads: AuditHeads
  audit_checkpoints: AuditHeads
  audit_settings: AuditSettings
  audit_lease: AuditLease
  emails: Emails
  idempotent_requests: IdempotentRequests
  request_counts: RequestCounts
  nodes: Nodes
  signing_keys: SigningKeys
}

interface Companies {
  id: string
  name: string
  name_folded: Generated<string>
  slug: string
  tax_id: string
  timezone: Generated<string>
  locale: Generated<string>
  created_at: Stamped
  updated_at: Stamped
  deleted_at: Timestamp | null
  purge_started_at: Timestamp | null
  suspended_at: Timestamp | null
  has_policy: Generated<boolean>
  policy_factor_from: Timestamp | null
  policy_factor_roles: string[] | null
  policy_age: string | null
  policy_pause: string | null
  policy_networks: string[] | null
  policy_passwords: number[] | null
  policy_step_up: string | null
  policy_domains: string[] | null
  policy_domains_for: Generated<'invitations' | 'invitations_and_additions'>
  policy_remind_at: Timestamp | null
  policy_reminded_at: Timestamp | null
  policy_reminded_to: string | null
}

interface Slugs {
  slug: string
  reserved_for: string | null
  reserved_until: Timestamp | null
}

interface Accounts {
  id: string
  email: string
  email_verified_at: Timestamp | null
  pending_email: string | null
  name: string
  name_folded: Generated<string>
  phone: Generated<string>
  avatar_url: string | null
  position: Generated<string>
  document_type: Generated<string>
  document_number: Generated<string>
  timezone: Generated<string>
  locale: Generated<string>
  managed_by: string | null
  must_change_password: Generated<boolean>
  password_shown_at: Timestamp | null
  opened_companies: Generated<number>
  credentials_version: Generated<number>
  disabled_at: Timestamp | null
  has_second_factor: Generated<boolean>
  passkey_handle: Buffer | null
  recovered_at: Timestamp | null
  vouches_from: Timestamp | null
  regained_at: Timestamp | null
  reset_by_link_at: Timestamp | null
  created_at: Stamped
  updated_at: Stamped
}

interface Passwords {
  account_id: string
  kind: 'chosen' | 'temporary' | 'second'
  hash: string
  expires_at: Timestamp | null
  emailed: Generated<boolean>
  secret_id: string | null
  shown_to: string | null
  created_at: Stamped
}

interface Sessions {
  id: string
  account_id: string
  must_change_password: Generated<boolean>
  refresh_id: string
  refresh_expires_at: Timestamp
  previous_refresh_id: string | null
  rotated_at: Stamped
  rotated_by: string | null
  rotation_keys: Generated<string[]>
  recent_ids: Generated<string[]>
  recent_times: Generated<string[]>
  credentials_version: Generated<number>
  reuse_notified_at: Timestamp | null
  user_agent: Generated<string>
  ip: string
  created_at: Stamped
  last_used_at: Stamped
  expires_at: Timestamp
  revoked_at: Timestamp | null
  revoked_reason: string | null
  authenticated_at: Stamped
  second_factor_at: Timestamp | null
  second_factor_ids: Generated<string[]>
  methods: Generated<string[]>
  password_class: number | null
  longest_pause: Generated<string>
  last_ip: string | null
  proved_email: string | null
  proved_email_for_factor: string | null
}

interface SecondFactors {
  id: string
  account_id: string
  kind: 'totp' | 'passkey'
  name: Generated<string>
  created_at: Stamped
  confirmed_at: Timestamp | null
  last_used_at: Timestamp | null
  secret: Buffer | null
  last_step: number | null
  credential_id: Buffer | null
  public_key: Buffer | null
  counter: number | null
  transports: string[] | null
  backed_up: boolean | null
  aaguid: string | null
  copied_at: Timestamp | null
}

interface RecoveryCodes {
  account_id: string
  hash: Buffer
  used_at: Timestamp | null
  created_at: Stamped
}

interface Challenges {
  id: string
  purpose: 'sign_in' | 'passkey_sign_in' | 'enroll' | 'step_up'
  account_id: string | null
  session_id: string | null
  webauthn: Buffer | null
  password_kind: 'chosen' | 'temporary' | 'second' | null
  password_class: number | null
  credentials_version: number | null
  attempts: Generated<number>
  network: string
  created_at: Stamped
  expires_at: Timestamp
}

interface SecondFactorAttempts {
  account_id: string
  purpose: 'sign_in' | 'step_up'
  times: Generated<string[]>
  notified_at: Timestamp | null
  updated_at: Stamped
}

interface FactorResets {
  id: string
  account_id: string
  email: string
  operator_name: string
  request_id: string
  reason: string | null
  created_at: Stamped
  due_at: Timestamp
}

export type LinkPurpose = 'confirm_email' | 'change_email' | 'reset_password'

interface OneTimeLinks {
  account_id: string
  purpose: LinkPurpose
  id: string
  email: string
  expires_at: Timestamp
  created_at: Stamped
}

interface EmailChangeUndos {
  id: string
  account_id: string
  email: string
  credentials_version: number
  is_reserved: boolean
  is_verified: Generated<boolean>
  expires_at: Timestamp
  created_at: Stamped
}

interface FactorChangeUndos {
  id: string
  account_id: string
  email: string
  created_at: Stamped
  expires_at: Timestamp
}

interface PasswordAttempts {
  email: string
  failures: number
  window_started_at: Stamped
  blocked_until: Timestamp | null
}

interface KnownNetworks {
  account_id: string
  network: string
  last_sign_in_at: Stamped
}

interface MailboxCodes {
  session_id: string
  id: string
  email: string
  tries: Generated<number>
  expires_at: Timestamp
  purpose: 'joining' | 'factor'
}

interface LinkRequests {
  id: string
  purpose: 'confirm_email' | 'reset_password'
  email_mac: Buffer
  encrypted_email: Buffer
  network: string
  share: Generated<string>
  ip: string
  user_agent: string
  request_id: string
  retry_at: Stamped
  created_at: Stamped
}

interface SentLinks {
  account_id: string
  purpose: 'reset_password' | 'confirm_email'
  network_is_known: boolean
  created_at: Stamped
  share: string | null
}

interface Roles {
  company_id: Generated<string>
  id: string
  name: string
  description: Generated<string>
  name_folded: string
  name_skeleton: string | null
  name_shape: string | null
  search: Generated<string>
  permissions: string[]
  system_key: 'owner' | 'admin' | 'manager' | 'member' | null
  replaced_by: string | null
  created_at: Stamped
  updated_at: Stamped
}

interface RoleCounters {
  company_id: Generated<string>
  role_id: string
  members: number
}

interface Memberships {
  company_id: Generated<string>
  account_id: string
  status: Generated<'active' | 'inactive'>
  phone: Generated<string>
  position: Generated<string>
  document_type: Generated<string>
  document_number: Generated<string>
  awaits_verification: Generated<boolean>
  opened_at: Timestamp | null
  added_by: string | null
  created_account: Generated<boolean>
  name_folded: Generated<string>
  email: Generated<string>
  search: Generated<string>
  name: Generated<string>
  account_phone: Generated<string>
  account_position: Generated<string>
  avatar_url: string | null
  must_change_password: Generated<boolean>
  managed: Generated<boolean>
  password_shown: Generated<boolean>
  second_factor: Generated<boolean>
  created_at: Stamped
  updated_at: Stamped
}

interface MembershipRoles {
  company_id: Generated<string>
  account_id: string
  role_id: string
}

interface CompanyCounters {
  company_id: Generated<string>
  active_members: Generated<number>
  inactive_members: Generated<number>
}

interface Branches {
  company_id: Generated<string>
  id: string
  parent_id: string | null
  name: string
  code: Generated<string>
  address: Generated<string>
  phone: Generated<string>
  timezone: Generated<string>
  status: Generated<'active' | 'inactive'>
  name_key: string
  name_folded: string
  code_folded: Generated<string>
  created_at: Stamped
  updated_at: Stamped
}

interface MembershipBranches {
  company_id: Generated<string>
  account_id: string
  branch_id: string
}

interface OwnershipOffers {
  company_id: Generated<string>
  id: string
  from_id: string
  to_id: string
  created_at: Stamped
  expires_at: Stamped
}

interface CompanyDomains {
  company_id: Generated<string>
  id: string
  name: string
  token: Generated<string>
  status: Generated<'pending' | 'verified' | 'lapsed'>
  verified_at: Timestamp | null
  checked_at: Timestamp | null
  check_result: 'found' | 'missing' | 'different' | 'unanswered' | null
  failing_since: Timestamp | null
  check_at: Timestamp | null
  join_policy: Generated<'none' | 'request' | 'auto'>
  approved_permissions: Generated<string[]>
  approved_by: string | null
  approved_at: Timestamp | null
  created_at: Stamped
}

interface CompanyDomainRoles {
  company_id: Generated<string>
  domain_id: string
  role_id: string
}

interface DomainProofs {
  name: string
  domain_id: string
  id: Generated<string>
}

interface DomainChecks {
  company_id: Generated<string>
  id: string
  created_at: Stamped
}

interface JoinRequests {
  company_id: Generated<string>
  id: string
  account_id: string
  email: string
  name: string
  domain_id: string | null
  created_at: Stamped
  declined_at: Timestamp | null
}

interface Invitations {
  company_id: Generated<string>
  id: string
  email: string
  name: Generated<string>
  search: Generated<string>
  locale: Generated<string>
  link_id: string
  inviter_id: string | null
  status: Generated<'pending' | 'accepted' | 'declined' | 'revoked' | 'expired'>
  valid_days: number
  expires_at: Timestamp
  sent_at: Stamped
  resent: Generated<number>
  accepted_by: string | null
  finished_at: Timestamp | null
  created_at: Stamped
  updated_at: Stamped
  vouched_at: Stamped
}

interface InvitationRoles {
  company_id: Generated<string>
  invitation_id: string
  role_id: string
}

interface InvitationBranches {
  company_id: Generated<string>
  invitation_id: string
  branch_id: string
}

interface InvitationLinks {
  company_id: Generated<string>
  id: string
  token_hash: Buffer
  creator_id: string | null
  max_uses: number
  uses: Generated<number>
  allowed_domains: Generated<string[]>
  expires_at: Timestamp
  revoked_at: Timestamp | null
  created_at: Stamped
  vouched_at: Stamped
}

interface InvitationLinkRoles {
  company_id: Generated<string>
  link_id: string
  role_id: string
}

interface FormerMembers {
  company_id: Generated<string>
  account_id: string
  left_at: Stamped
}

interface FormerOwners {
  company_id: Generated<string>
  account_id: string
  member_since: Timestamp
  ended_at: Stamped
}

interface FormerAddresses {
  company_id: Generated<string>
  email: string
  account_id: string
}

interface AuditRecords {
  id: string
  company_id: string | null
  v: Generated<number>
  seq: number | null
  hash: Buffer | null
  action: string
  outcome: string
  actor_id: string | null
  actor_name: Generated<string>
  actor_email: Generated<string>
  actor_kind: string | null
  via_type: string | null
  via_id: string | null
  target_type: string
  target_id: Generated<string>
  target_label: Generated<string>
  changes: Json<Record<string, unknown>>
  ip: string | null
  user_agent: Generated<string>
  request_id: Generated<string>
  created_at: Stamped
  actor_salt: Buffer | null
  target_salt: Buffer | null
  actor_commitment: Buffer | null
  target_commitment: Buffer | null
}

interface AuditHeads {
  company_id: string
  number: number
  seq: number
  hash: string
  begins_seq: number
  begins_hash: string
  begins_number: number
  time: Timestamp
  kid: string
  signature: string
}

interface AuditSettings {
  company_id: Generated<string>
  retention_days: number | null
  updated_at: Stamped
}

interface AuditLease {
  singleton: Generated<boolean>
  holder_id: string
  expires_at: Timestamp
}

interface Emails {
  id: string
  kind: string
  recipient_email: string
  recipient_domain: Generated<string>
  recipient_name: string
  locale: Generated<string>
  params: Json<Record<string, string>>
  secret_id: string | null
  status: Generated<'pending' | 'sent' | 'failed'>
  attempts: Generated<number>
  next_attempt_at: Stamped
  claimed_until: Timestamp | null
  last_error: string | null
  expires_at: Timestamp
  created_at: Stamped
  finished_at: Timestamp | null
  sender_company_id: string | null
  sender_account_id: string | null
}

interface RequestCounts {
  limit_name: string
  network: string
  count: number
  ends_at: Timestamp
}

interface Nodes {
  id: string
  host: string
  version: string
  signing_kid: string
  accepted_kids: string[]
  started_at: Stamped
  seen_at: Stamped
  stopped_at: Timestamp | null
}

interface SigningKeys {
  kid: string
  first_seen_at: Stamped
  last_seen_at: Stamped
  in_use_since: Timestamp | null
  superseded_by: string | null
}

interface IdempotentRequests {
  id: Buffer
  fingerprint: Buffer
  status: number | null
  response: Buffer | null
  claimed_until: Timestamp
  created_at: Stamped
}
