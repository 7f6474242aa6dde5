/** Every kind of email, with the params of its texts besides the recipient. No secrets: those are derived when it is sent. */
export interface EmailParams {
  /** To a registered address that is to be verified; carries a link to /verify-email. */
  confirm_email: NoParams
  /** To the new address of an account; carries a link to /verify-email. */
  change_email: NoParams
  /** To the old address: a change of it was requested. */
  email_change_requested: { newEmail: string }
  /** To the old address: it was changed; carries a link to /undo-email-change. */
  email_changed: { newEmail: string }
  /** To the old address: it was changed, and the change can't be undone by a link. */
  email_replaced: { newEmail: string }
  /** To the old address: the change was undone, the address restored; carries a link to /reset-password. */
  email_restored: NoParams
  /** To the new address: the change was undone, the address no longer belongs to the account. */
  email_removed: NoParams
  /** Carries a link to /reset-password. */
  reset_password: NoParams
  password_changed: NoParams
  /**
   * Changes of what opens the account besides its password; `factor` is the name that its owner gave. They carry a link to
   * /undo-factor-change.
   */
  second_factor_added: { factor: string; linkId: string }
  second_factor_removed: { factor: string; linkId: string }
  /** A company that manages the account has removed all of them. */
  second_factor_reset: { company: string }
  /** An operator will remove all of them, from `until` on, ISO 8601; carries a link to /cancel-factor-reset. Then: has removed them. */
  factor_reset_announced: { until: string; linkId: string } & WithTimezone
  factor_reset_done: NoParams
  recovery_codes_created: { linkId: string }
  /** Such a change was undone; carries a link to /reset-password. */
  factor_change_undone: NoParams
  /** A recovery code proved the second factor; `left`: how many are left. */
  recovery_code_used: { left: string }
  /** Wrong second factors were tried by a caller who knows the password, or is signed in. */
  second_factor_guessed: NoParams
  /** The account was signed in to from a network and with a device that are both new to it; `at`: when, ISO 8601. */
  new_sign_in: { at: string; address: string; device: string } & WithTimezone
  /** A refresh token that was exchanged was presented again; `ended`: its session was revoked for it. */
  refresh_token_reused: { ended: 'yes' | 'no' }
  /** To the owner of an account that a company created; carries its temporary password. */
  temporary_password: TemporaryPasswordParams & AddingMember
  /** A company requested a new temporary password; `replaces`: the password before it no longer works, still does, or there is none. */
  password_reset: TemporaryPasswordParams & { replaces: 'yes' | 'no' | 'none' }
  /** To the owner of an account that a company added as a member. `awaits`: `yes`: it opens once the address is verified. */
  added_to_company: CompanyParams & AddingMember & { awaits: 'yes' | '' }
  /** To an address that a company invites, with or without an account; carries a link to /invitation. */
  invitation: { company: string; inviter: string; until: string; linkId: string } & WithTimezone
  /** To the member who invited: the person is a member now. */
  invitation_accepted: { company: string; member: string; memberEmail: string }
  /** To the member who added an account: the membership ended, because the address changed before it was verified. */
  unverified_membership_ended: CompanyParams & { email: string }
  /** To the member who may accept the ownership of a company, signed in, within 7 days. */
  ownership_offered: CompanyParams & OwnershipTransferParams
  /** To the new owner and to the former one. */
  ownership_transferred: OwnershipTransferParams
  /** To members who can let people in: a person with an address at a domain of the company asks to join, or has joined. */
  join_requested: CompanyParams & JoiningParams
  joined_by_domain: CompanyParams & JoiningParams
  /** To the person who has asked. */
  join_approved: CompanyParams
  join_declined: { company: string }
  /** To the owners of a company: a domain is no longer verified, because its record is gone or another company has proved it. */
  domain_lapsed: CompanyParams & { domain: string }
  domain_moved: CompanyParams & { domain: string }
  /** To those who are owners of a company, or were within 7 days; `until`: when it can no longer be restored, ISO 8601. */
  company_deleted: { company: string; until: string } & ByMember & WithTimezone
  /** To the owners of a company: an operator has suspended it, or resumed it. */
  company_suspended: CompanyParams
  company_resumed: CompanyParams
  /** To those who are owners of a company, or were within 7 days: it has another name, or is there again after it was deleted. */
  company_renamed: CompanyParams & { former: string } & ByMember
  company_restored: CompanyParams & ByMember
  /**
   * To the owners of a company: its policy lets in sessions that it kept out before; asks for more than before, so that they may not be let
   * in themselves; an operator has reset it.
   */
  policy_loosened: CompanyParams & ByMember
  policy_tightened: CompanyParams & ByMember
  policy_reset: CompanyParams
  /** To the owners of a company: a member is an owner now, or no more; `at`: when, ISO 8601. `by` is empty for an operator. */
  owners_changed: CompanyParams & OwnersChangeParams & WithTimezone
  /** So many notices about companies came within an hour that others were withheld. `verified`: `no`: the address has never been. */
  notices_withheld: { verified: 'no' | '' }
  /** To a member without a second factor: from `until` on, ISO 8601, the company asks for one. */
  second_factor_due: CompanyParams & { until: string } & WithTimezone
  /** An operator has created the account; carries a link to /reset-password. */
  account_created: NoParams
  /** An operator has disabled the account; also instead of a link that was requested for it. */
  account_disabled: NoParams
  account_enabled: NoParams
  /** An operator has removed the password of the account; carries a link to /reset-password. */
  password_removed: NoParams
  /** Carries the code that is derived from this id, for the first second factor or for joining a company. */
  mailbox_code: { codeId: string; purpose: 'factor' | 'joining' }
  /** A passkey was refused because its counter had been used before. */
  passkey_copied: { passkey: string }
}

export type EmailKind = keyof EmailParams

/**
 * Kinds that are withheld when their recipient or their sender has reached a limit for the hour. Every other kind is a
 * notice about security or about a deleted company: it is never withheld. But a notice that an account can cause at will is
 * bounded, because the account's address may belong to another person: see `noticeLimits`.
 */
export type BoundedKind =
  | 'confirm_email'
  | 'change_email'
  | 'reset_password'
  | 'temporary_password'
  | 'password_reset'
  | 'added_to_company'
  | 'invitation'
  | 'ownership_offered'
  | 'mailbox_code'
  | 'join_requested'
  | 'joined_by_domain'

/**
 * What happened has to be known also where the link in the email works no more: anyone can have another one sent to the address, which
 * replaces it. These emails name a way to a new link.
 */
export const NOTICES_WITH_LINK = [
  'email_restored',
  'factor_change_undone',
  'password_removed',
  'account_created',
] as const satisfies EmailKind[]
export type NoticeWithLink = (typeof NOTICES_WITH_LINK)[number]

export interface Recipient {
  email: string
  name: string
  /** BCP 47, or empty. */
  locale: string
}

type NoParams = Record<never, never>

/** The name of the company that the email concerns, and its id, which emails of 0.2.0 lack: for the button that opens it. */
export interface CompanyParams {
  company: string
  companyId: string
}

/** The member who did it. */
interface ByMember {
  by: string
  byEmail: string
}

/** The member who added the person. `verified`: `no`: that address has never been, so it may be that of another person. */
export interface AddingMember extends ByMember {
  verified: 'no' | ''
}

/** The company, its owner, and the member who is to own it. */
interface OwnershipTransferParams {
  company: string
  from: string
  fromEmail: string
  to: string
  toEmail: string
}

/** `replaced`: a role gave way to that of owners, and `person` is its name. `many`: further ones may go untold within the hour. */
export type OwnerGain = 'made' | 'added' | 'joined' | 'reactivated' | 'replaced' | 'transferred'
export type OwnerLoss = 'demoted' | 'deactivated' | 'removed' | 'left'

interface OwnersChangeParams {
  change: OwnerGain | OwnerLoss | 'disabled' | 'enabled' | 'undone' | 'many'
  person: string
  /** Empty for a role. */
  personEmail: string
  /** `no`: this address of a new owner has never been verified. */
  verified: 'no' | ''
  /** Of a role that gave way: addresses of some of its members, with spaces between them. */
  memberEmails: string
  by: string
  byEmail: string
  at: string
}

interface JoiningParams {
  person: string
  email: string
}

/** The company that requested the password, how many hours it is valid, and the key that it is derived with. */
interface TemporaryPasswordParams extends WithTimezone {
  company: string
  hours: string
  kid: string
}

/** Moments in the email are written in this IANA time zone; without one, in UTC. */
interface WithTimezone {
  timezone?: string
}
