import type { Keys } from '../../../lib/keys.ts'
import { linkToken } from '../../../lib/secrets.ts'
import type { EmailKind } from '../outbox/enqueue.ts'

/** The pages that the links in letters open. */
const paths = {
  confirm_email: '/verify-email',
  change_email: '/verify-email',
  reset_password: '/reset-password',
} as const satisfies Partial<Record<EmailKind, string>>

/** A kind of letter that carries a link of its own. */
type LinkedKind = keyof typeof paths

/** Where anybody can ask for a link to a new password. */
const RECOVERY = '/reset-password'
const HOME = '/'

/** Pages that anybody can open, and that do nothing by themselves. */
const openPages = {
  email_change_requested: RECOVERY,
  email_changed: RECOVERY,
  password_changed: RECOVERY,
  refresh_token_reused: RECOVERY,
  temporary_password: HOME,
  password_reset: HOME,
  added_to_company: HOME,
  unproven_membership_ended: HOME,
  ownership_offered: HOME,
  ownership_transferred: RECOVERY,
  company_deleted: HOME,
} as const satisfies Partial<Record<EmailKind, string>>

/** Where else a kind leads: for readers whom its button does not help. */
const secondPages = {
  temporary_password: RECOVERY,
  added_to_company: RECOVERY,
} as const satisfies Partial<Record<EmailKind, string>>

export type SecondLinkKind = keyof typeof secondPages

/** A kind of letter that has a button. */
export type ButtonKind = LinkedKind | keyof typeof openPages

/** Kinds that carry a temporary password. */
const withPassword = ['temporary_password', 'password_reset'] as const satisfies EmailKind[]

type PasswordKind = (typeof withPassword)[number]

export const carriesPassword = (kind: string): kind is PasswordKind =>
  (withPassword as readonly string[]).includes(kind)

export const isLinked = (kind: string): kind is LinkedKind => Object.hasOwn(paths, kind)

export function linkFor(kind: LinkedKind, secretId: string, keys: Keys, appUrl: string): string {
  return `${appUrl}${paths[kind]}?token=${linkToken(keys, secretId)}`
}

/** Where the button of a kind without a link of its own leads; undefined: it has no button. */
export function openPageFor(kind: EmailKind, appUrl: string): string | undefined {
  return kind in openPages ? `${appUrl}${openPages[kind as keyof typeof openPages]}` : undefined
}

export function secondPageFor(kind: EmailKind, appUrl: string): string | undefined {
  return kind in secondPages ? `${appUrl}${secondPages[kind as SecondLinkKind]}` : undefined
}
