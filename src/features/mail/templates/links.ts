import type { LanguageTag } from '../../../lib/languages.ts'
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

interface Target {
  /** Without a slash at the end. */
  appUrl: string
  /** Of the email: a page that it opens speaks the same. */
  language: LanguageTag
}

export function linkFor(kind: LinkedKind, token: string, { appUrl, language }: Target): string {
  return `${appUrl}${paths[kind]}?token=${token}&lang=${language}`
}

/** Where the button of a kind without a link of its own leads; undefined: it has no button. */
export const openPageFor = (kind: EmailKind, target: Target): string | undefined =>
  addressOf((openPages as Partial<Record<EmailKind, string>>)[kind], target)

export const secondPageFor = (kind: EmailKind, target: Target): string | undefined =>
  addressOf((secondPages as Partial<Record<EmailKind, string>>)[kind], target)

/** The front end at HOME knows the language of its user. */
function addressOf(path: string | undefined, { appUrl, language }: Target): string | undefined {
  return path === undefined || path === HOME ? path && appUrl + path : `${appUrl}${path}?lang=${language}`
}
