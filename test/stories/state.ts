import type { Person } from './people.ts'

// What must be so by docs/decisions, as far as it has been told: for whatever works, why it works. Times are minutes of
// the story, which pass only when its rows age.

export type Role = 'Member' | 'Manager' | 'Admin' | 'Owner'
/** Each of the system roles holds all that those before it hold. */
export const ROLES: Role[] = ['Member', 'Manager', 'Admin', 'Owner']
export const rankOf = (role: Role) => ROLES.indexOf(role)

export const PASSWORD_RESET_MINUTES = 15
export const LINK_MINUTES = 24 * 60
export const TEMPORARY_MINUTES = 72 * 60
export const REPLAY_MINUTES = 10
export const REFRESH_MINUTES = 7 * 24 * 60
export const SESSION_MINUTES = 30 * 24 * 60
export const RESTORABLE_MINUTES = 30 * 24 * 60

export interface Password {
  text: string
  /** How it came to be: "chosen by Sam", "mailed to bob@example.com", "shown to Ann". */
  why: string
  /** The mailbox that a temporary password went to; undefined: it was shown, or chosen. */
  mailedTo?: string
  since: number
}

export type Purpose = 'confirm_email' | 'change_email' | 'reset_password'

export interface Account {
  /** As the story calls it: the address that it began with. */
  name: string
  id: string
  email: string
  pendingEmail: string | undefined
  /** The address that it has now was proven by a secret mailed to it. */
  isVerified: boolean
  /** A password was shown to an administrator, and no mailed secret has proven the address since. */
  isPasswordShown: boolean
  chosen: Password | undefined
  temporary: Password | undefined
  /** Mailed by a company that does not manage the account, beside a temporary password that is its only one. */
  second: Password | undefined
  /** The tokens that open something now, by purpose. */
  links: Partial<Record<Purpose, { token: string; since: number }>>
  managedBy: Company | undefined
  /** Grows with whatever makes kept answers untrue: another password, another address. */
  version: number
}

export interface Company {
  name: string
  id: string
  deletedAt: number | undefined
  roleIds: Record<Role, string>
  offer: { from: Account; to: Account; since: number } | undefined
}

export interface Membership {
  company: Company
  account: Account
  role: Role
  isActive: boolean
  /** The address that the company linked: the only one whose proof opens what awaits proof. */
  address: string
  awaitsVerification: boolean
  isOpened: boolean
}

/** A refresh token that was exchanged. */
interface Spent {
  token: string
  key: string | undefined
  at: number
  atMs: number
  version: number
  /** Of the account then: a temporary one that came or went may count as a change, or not. */
  temporary: Password | undefined
}

export interface Session {
  id: string
  account: Account
  holder: Person
  why: string
  /** Undefined: what was done may have ended it or not, such as within the seconds of an accident; it is looked up. */
  hasEnded: boolean | undefined
  mustChange: boolean
  since: number
  exchangedAt: number
  accessTokens: string[]
  refreshToken: string
  /** The last one is the one that the present one was made from. */
  spent: Spent[]
}

/** An e-mail that carries a secret, in the mailbox of whoever reads it. */
export interface SecretEmail {
  kind: string
  to: string
  secret: string
  account: Account
  purpose: Purpose | undefined
}

/** A request as it was sent with its key, and what its answer is true by. */
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
