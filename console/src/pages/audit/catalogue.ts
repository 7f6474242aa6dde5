import type { Areas } from '../../texts/areas.ts'
import type { Texts } from '../../texts/types.ts'

export type AuditTexts = Texts<Areas['audit']>

/** What can be in the log of a company. What only reads is recorded when it is refused. */
export const ACTIONS = [
  'users.add',
  'users.update',
  'users.detach',
  'users.leave',
  'users.reset_password',
  'users.email_password',
  'users.reset_second_factor',
  'users.end_unverified',
  'users.join',
  'users.list',
  'users.get',
  'users.search',
  'users.list_companies',
  'roles.create',
  'roles.update',
  'roles.delete',
  'roles.list',
  'roles.get',
  'roles.list_members',
  'permissions.list',
  'permissions.explain',
  'branches.create',
  'branches.update',
  'branches.delete',
  'branches.list',
  'branches.get',
  'companies.create',
  'companies.update',
  'companies.delete',
  'companies.restore',
  'companies.suspend',
  'companies.resume',
  'companies.get',
  'domains.create',
  'domains.verify',
  'domains.update',
  'domains.delete',
  'domains.lapse',
  'domains.list',
  'domains.get',
  'invitations.create',
  'invitations.update',
  'invitations.resend',
  'invitations.revoke',
  'invitations.accept',
  'invitations.decline',
  'invitations.list',
  'invitations.get',
  'invitation_links.create',
  'invitation_links.revoke',
  'invitation_links.join',
  'invitation_links.list',
  'invitation_links.get',
  'join_requests.create',
  'join_requests.approve',
  'join_requests.decline',
  'join_requests.cancel',
  'join_requests.list',
  'ownership.offer',
  'ownership.accept',
  'ownership.cancel',
  'ownership.decline',
  'ownership.get',
  'policy.get',
  'policy.update',
  'policy.list_compliance',
  'policy.reset',
  'audit.export',
  'audit.update_settings',
  'audit.erase',
  'audit.purge',
  'audit.list',
  'audit.verify',
  'audit.get_settings',
] as const

/** Why something was refused. */
export const OUTCOMES = [
  'permission_missing',
  'grant_exceeds_permissions',
  'target_exceeds_permissions',
  'owner_only',
  'account_not_managed',
  'company_suspended',
  'network_not_allowed',
  'second_factor_required_by_company',
  'password_too_weak_for_company',
  'grace_too_long',
  'policy_locks_you_out',
  'policy_locks_all_owners',
  'domain_not_allowed',
  'reauthentication_required',
  'company_mismatch',
  'not_a_member',
  'email_verification_required',
  'version_mismatch',
  'already_member',
  'email_taken',
  'email_reserved',
  'slug_taken',
  'slug_limit_reached',
  'role_name_taken',
  'role_in_use',
  'role_unknown',
  'system_role',
  'role_reassigned_to_itself',
  'member_without_role',
  'last_owner',
  'already_owner',
  'transfer_pending',
  'transfer_expired',
  'branch_name_taken',
  'branch_code_taken',
  'branch_unknown',
  'branch_inactive',
  'branch_cycle',
  'branch_too_deep',
  'branch_limit_reached',
  'branch_has_children',
  'branch_has_members',
  'current_password_wrong',
  'domain_taken',
  'domain_is_shared',
  'domain_limit_reached',
  'domain_record_not_found',
  'owner_role_not_allowed',
  'too_many_attempts',
  'idempotency_key_reused',
  'idempotent_response_expired',
] as const

export const SUBJECTS = [
  'member',
  'role',
  'branch',
  'company',
  'account',
  'domain',
  'join_request',
  'invitation',
  'invitation_link',
] as const

/** Fields of changes. */
export const FIELDS = [
  'name',
  'slug',
  'taxId',
  'timezone',
  'locale',
  'status',
  'roles',
  'branches',
  'phone',
  'position',
  'document_type',
  'document_number',
  'description',
  'permissions',
  'permissions_added',
  'permissions_removed',
  'reassigned_to',
  'reassigned_members',
  'parent',
  'code',
  'address',
  'owner',
  'retentionDays',
  'required',
  'roleIds',
  'from',
  'maxAgeHours',
  'idleMinutes',
  'stepUpMinutes',
  'allow',
  'domains',
  'appliesTo',
  'minLength',
  'refuseCommon',
  'email',
  'reason',
  'format',
  'domain',
  'join_policy',
  'join_roles',
] as const

/** Values that are words of the service. */
export const VALUES = [
  'active',
  'inactive',
  'suspended',
  'deleted',
  'sent',
  'withheld',
  'pending',
  'verified',
  'lapsed',
] as const

/** What is wrong with a record that does not match its seal. */
export const REASONS = [
  'changed',
  'removed',
  'inserted',
  'reordered',
  'cut_off',
  'rewritten',
  'checkpoint_removed',
  'checkpoint_forged',
  'head_removed',
  'head_forged',
  'backdated',
  'postdated',
  'unknown_version',
  'erasure_unrecorded',
] as const

/** A newer service may name what is not in these texts: it is shown as it is. */
export const known = <Key extends string>(
  keys: readonly Key[],
  texts: Readonly<Record<Key, string>>,
  key: string,
): string | undefined => {
  const found = keys.find((each) => each === key)
  return found && texts[found]
}

type Sayable = (values: Record<string, string>) => string

/** What people do with it: “add a member”. */
export function taskOf(t: AuditTexts, action: string): string | undefined {
  const [resource = '', verb = ''] = action.split('.')
  return (t.tasks as Record<string, Record<string, string>>)[resource]?.[verb]
}

/** The sentence for when it was done. */
export function doneOf(t: AuditTexts, action: string): Sayable | undefined {
  const [resource = '', verb = ''] = action.split('.')
  return (t.done as Record<string, Record<string, Sayable>>)[resource]?.[verb]
}

export const capitalized = (text: string): string => text.charAt(0).toLocaleUpperCase() + text.slice(1)
