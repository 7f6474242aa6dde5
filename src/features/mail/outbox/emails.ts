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
  /** A refresh token that was exchanged was presented again; `ended`: its session was revoked for it. */
  refresh_token_reused: { ended: 'yes' | 'no' }
  /** To the owner of an account that a company created; carries its temporary password. */
  temporary_password: TemporaryPasswordParams
  /** A company requested a new temporary password; `replaces`: the password before it no longer works. */
  password_reset: TemporaryPasswordParams & { replaces: 'yes' | 'no' }
  /** To the owner of an account that a company added as a member. */
  added_to_company: { company: string }
  /** To the member who added an account: the membership ended, because the address changed before it was verified. */
  unverified_membership_ended: { company: string; email: string }
  /** To the member who may accept the ownership of a company, signed in, within 7 days. */
  ownership_offered: OwnershipTransferParams
  /** To the new owner and to the former one. */
  ownership_transferred: OwnershipTransferParams
  /** To the owners of a company; `until`: when it can no longer be restored, ISO 8601. */
  company_deleted: { company: string; by: string; until: string } & WithTimezone
  /** To the owners of a company: an operator has suspended it, or resumed it. */
  company_suspended: { company: string }
  company_resumed: { company: string }
  /** An operator has created the account; carries a link to /reset-password. */
  account_created: NoParams
  /** An operator has disabled the account; also instead of a link that was requested for it. */
  account_disabled: NoParams
  account_enabled: NoParams
  /** An operator has removed the password of the account; carries a link to /reset-password. */
  password_removed: NoParams
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
  | 'ownership_offered'

export interface Recipient {
  email: string
  name: string
  /** BCP 47, or empty. */
  locale: string
}

type NoParams = Record<never, never>

/** The names of the company, of its owner, and of the member who is to own it. */
interface OwnershipTransferParams {
  company: string
  from: string
  to: string
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
