import type { Authenticator } from '../support/authenticator.ts'
import type { Person } from './people.ts'

// The state of the model: what the service must know according to docs/decisions, and why each credential works. Times
// are minutes of the story, which pass when its rows are aged.

export type Role = 'Member' | 'Manager' | 'Admin' | 'Owner'
/** The system roles in ascending order: each has all permissions of those before it. */
export const ROLES: Role[] = ['Member', 'Manager', 'Admin', 'Owner']
export const rankOf = (role: Role) => ROLES.indexOf(role)

export const PASSWORD_RESET_MINUTES = 15
export const LINK_MINUTES = 24 * 60
export const UNDO_MINUTES = 7 * 24 * 60
export const TEMPORARY_MINUTES = 72 * 60
export const REPLAY_MINUTES = 10
export const REFRESH_MINUTES = 7 * 24 * 60
export const SESSION_MINUTES = 30 * 24 * 60
export const INVITATION_MINUTES = 7 * 24 * 60
export const FRESH_MINUTES = 10
export const FACTOR_UNDO_MINUTES = 72 * 60
export const RESTORABLE_MINUTES = 30 * 24 * 60

export interface Password {
  text: string
  /** Its origin: "chosen by Sam", "emailed to bob@example.com", "shown to Ann". */
  why: string
  /** The recipient of an emailed temporary password; undefined for a shown or chosen one. */
  emailedTo?: string
  /** The administrator who was shown it, and when in the order of what happened. */
  shownTo?: { account: Account; at: number }
  since: number
}

export type Purpose = 'confirm_email' | 'change_email' | 'reset_password'

/** An authenticator app or a passkey that was confirmed, also after it was removed. */
export type Factor = {
  id: string
  account: Account
  /** Who has the device. */
  holder: Person
  /** In the order of what happened. */
  addedAt: number
} & ({ kind: 'totp'; secret: string } | { kind: 'passkey'; authenticator: Authenticator })

export interface Account {
  /** Its first address. */
  name: string
  id: string
  email: string
  pendingEmail: string | undefined
  /** The present address was verified by a secret emailed to it. */
  isVerified: boolean
  /** A password was shown to an administrator, and the address was not verified since. */
  isPasswordShown: boolean
  chosen: Password | undefined
  temporary: Password | undefined
  /** Emailed by a company that does not manage the account, in addition to its only, temporary password. */
  second: Password | undefined
  /** The valid tokens, by purpose. */
  links: Partial<Record<Purpose, { token: string; since: number }>>
  /** The links that undo a change of address, the oldest change first. They survive everything but a later use of an older one. */
  undos: { token: string; email: string; since: number; changedAt: number; isReserved: boolean }[]
  /** Those that count now. */
  factors: Factor[]
  recoveryCodes: { holder: Person; unused: string[]; createdAt: number } | undefined
  /** The links that undo a change of factors, which work while the account has the address that they were sent to. */
  factorUndos: { token: string; email: string; since: number; changedAt: number }[]
  /** The address before the last change is not free for other accounts while that change can be undone. */
  reservesFormerAddress: boolean
  /** In the order of what happened: what the account has vouched for, offered or been shown before its last undo counts no more. */
  recoveredAt: number
  /** The same, in companies that have added the account, before an emailed secret replaced a password of an unverified address. */
  regainedAt: number
  managedBy: Company | undefined
  /** Increases when stored responses become invalid: with a new password or address. */
  version: number
  /** How often a sign-in has deleted passwords that were emailed in addition to the one that it used. */
  deletedPasswords: number
}

export interface Company {
  name: string
  id: string
  deletedAt: number | undefined
  /** By an operator: it is listed, and can only be left. */
  isSuspended: boolean
  roleIds: Record<Role, string>
  offer: { from: Account; to: Account; since: number; madeAt: number } | undefined
  /** Of its policy: how old the last proof of a session may be. */
  maxAgeMinutes: number | undefined
}

/** An invitation by email, or a link that is handed out. */
export interface Invitation {
  kind: 'email' | 'link'
  id: string
  company: Company
  role: Role
  /** Undefined for a link. */
  email: string | undefined
  /** The newest one; the ones before are dead. */
  token: string
  former: string[]
  /** Who must still be able to give the role. */
  voucher: Account
  since: number
  /** In the order of what happened: an account that has left since does not come back by it. */
  vouchedAt: number
  usesLeft: number
  isOver: boolean
}

/** The end of a membership, in the order of what happened. */
export interface Departure {
  company: Company
  account: Account
  at: number
}

/** Under which an account was a member. */
export interface FormerAddress {
  company: Company
  account: Account
  email: string
}

/** How people with an address at the one domain of all mailboxes join. */
export interface JoinByDomain {
  company: Company
  policy: 'auto' | 'request'
  requests: { id: string; account: Account; email: string }[]
}

export interface Membership {
  company: Company
  account: Account
  role: Role
  isActive: boolean
  /** The address that the company linked: only its verification ends `awaitsVerification`. */
  address: string
  awaitsVerification: boolean
  isOpened: boolean
  /** By another member, directly. */
  isAdded?: boolean
  /** In the order of what happened. */
  since: number
}

/** An exchanged refresh token. */
interface Spent {
  token: string
  key: string | undefined
  at: number
  atMs: number
  version: number
  /** The account's temporary password at that time: a change of it may or may not prevent a replay. */
  temporary: Password | undefined
  /** The account's number at that time: a deletion prevents a replay. */
  deletedPasswords: number
}

export interface Session {
  id: string
  account: Account
  holder: Person
  why: string
  /** Undefined when an action may have ended it, such as token reuse within seconds; then the service is asked. */
  hasEnded: boolean | undefined
  mustChange: boolean
  since: number
  /** Its last proof of a password, or of a passkey. */
  provedAt: number
  /** Its last proof of a second factor, and the factors that it has ever proved. */
  factorProvedAt: number | undefined
  provedFactors: (Factor | 'recovery code')[]
  /** The address whose mailbox its holder has proved to read, for each purpose of a code. */
  provedEmails: { joining?: string; factor?: string }
  exchangedAt: number
  accessTokens: string[]
  refreshToken: string
  /** In order; the last one was exchanged for the present token. */
  spent: Spent[]
}

/** An email with a secret. */
export interface SecretEmail {
  kind: string
  to: string
  secret: string
  account: Account
  purpose: Purpose | 'undo_email_change' | 'undo_factor_change' | undefined
}

/** A request that was sent with a key, and the state that its stored response depends on. */
export interface StoredRequest {
  what: 'sign-in' | 'registration' | 'exchange' | 'write'
  by: string
  text: string
  method: string
  path: string
  body: unknown
  key: string
  token: string | undefined
  company: string | undefined
  session: Session | undefined
  account: Account | undefined
  at: number
  version: number
  refreshToken: string | undefined
}
