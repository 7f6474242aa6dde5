import type { LanguageTag } from '../../../lib/languages.ts'
import type { EmailKind } from '../outbox/emails.ts'

/** The pages that one-time links open. */
const paths = {
  confirm_email: '/verify-email',
  change_email: '/verify-email',
  reset_password: '/reset-password',
  email_changed: '/undo-email-change',
  email_restored: '/reset-password',
  account_created: '/reset-password',
  password_removed: '/reset-password',
  second_factor_added: '/undo-factor-change',
  second_factor_removed: '/undo-factor-change',
  recovery_codes_created: '/undo-factor-change',
  factor_reset_announced: '/cancel-factor-reset',
  factor_change_undone: '/reset-password',
  invitation: '/invitation',
} as const satisfies Partial<Record<EmailKind, string>>

/** A kind of email that carries a one-time link. */
type LinkedKind = keyof typeof paths

/** The page where anyone can request a link to a new password. */
const RESET_PASSWORD = '/reset-password'
const HOME = '/'

/** Pages that anyone can open and that do nothing by themselves. */
const pages = {
  email_change_requested: RESET_PASSWORD,
  email_removed: HOME,
  email_replaced: HOME,
  password_changed: RESET_PASSWORD,
  second_factor_reset: RESET_PASSWORD,
  factor_reset_done: RESET_PASSWORD,
  recovery_code_used: RESET_PASSWORD,
  second_factor_guessed: RESET_PASSWORD,
  new_sign_in: RESET_PASSWORD,
  refresh_token_reused: RESET_PASSWORD,
  temporary_password: HOME,
  password_reset: HOME,
  added_to_company: HOME,
  invitation_accepted: RESET_PASSWORD,
  unverified_membership_ended: HOME,
  ownership_offered: HOME,
  ownership_transferred: RESET_PASSWORD,
  join_requested: HOME,
  joined_by_domain: HOME,
  join_approved: HOME,
  join_declined: HOME,
  domain_lapsed: HOME,
  domain_moved: HOME,
  company_deleted: HOME,
  company_suspended: HOME,
  company_resumed: HOME,
  company_renamed: HOME,
  company_restored: HOME,
  policy_loosened: HOME,
  policy_tightened: HOME,
  policy_reset: HOME,
  owners_changed: HOME,
  notices_withheld: HOME,
  second_factor_due: HOME,
  account_disabled: HOME,
  account_enabled: HOME,
  passkey_copied: HOME,
} as const satisfies Partial<Record<EmailKind, string>>

/** The second page of a kind, for readers whom its button does not help. */
const secondPages = {
  mailbox_code: RESET_PASSWORD,
  temporary_password: RESET_PASSWORD,
  added_to_company: RESET_PASSWORD,
  notices_withheld: RESET_PASSWORD,
  email_restored: RESET_PASSWORD,
  account_created: RESET_PASSWORD,
  password_removed: RESET_PASSWORD,
  factor_change_undone: RESET_PASSWORD,
} as const satisfies Partial<Record<EmailKind, string>>

export type SecondLinkKind = keyof typeof secondPages

/** A kind of email that has a button. */
export type ButtonKind = LinkedKind | keyof typeof pages

/** Kinds that carry a temporary password. */
const passwordKinds = ['temporary_password', 'password_reset'] as const satisfies EmailKind[]

type PasswordKind = (typeof passwordKinds)[number]

export const carriesPassword = (kind: string): kind is PasswordKind =>
  (passwordKinds as readonly string[]).includes(kind)

export const isLinked = (kind: string): kind is LinkedKind => Object.hasOwn(paths, kind)

interface Target {
  /** Without a slash at the end. */
  appUrl: string
  /** Of the email: a page that it opens speaks the same. */
  language: LanguageTag
}

/** What the button of an email opens beside the page itself. */
interface PageTarget extends Target {
  /** The company that the email concerns. */
  companyId?: string | undefined
}

export function linkFor(kind: LinkedKind, token: string, { appUrl, language }: Target): string {
  return `${appUrl}${paths[kind]}?token=${token}&lang=${language}`
}

/** Where the button of a kind without a link of its own leads; undefined: it has no button. */
export const pageFor = (kind: EmailKind, target: PageTarget): string | undefined =>
  addressOf((pages as Partial<Record<EmailKind, string>>)[kind], target)

export const secondPageFor = (kind: EmailKind, target: Target): string | undefined =>
  addressOf((secondPages as Partial<Record<EmailKind, string>>)[kind], target)

/** The front end at HOME knows the language of its user, and opens the company where the user is a member of it. */
function addressOf(path: string | undefined, { appUrl, language, companyId }: PageTarget): string | undefined {
  if (path !== HOME) return path && `${appUrl}${path}?lang=${language}`
  return companyId === undefined ? appUrl + HOME : `${appUrl}${HOME}?company=${companyId}`
}
