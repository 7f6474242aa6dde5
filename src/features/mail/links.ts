import type { Keys } from '../../lib/keys.ts'
import { linkToken } from '../../lib/secrets.ts'
import type { LetterKind } from './letters.ts'

/** The pages that the links in letters open. */
const paths = {
  confirm_email: '/verify-email',
  change_email: '/verify-email',
  reset_password: '/reset-password',
} as const satisfies Partial<Record<LetterKind, string>>

/** A kind of letter that carries a link of its own. */
export type LinkedKind = keyof typeof paths

/** Kinds that carry a temporary password instead. */
const withPassword = ['temporary_password', 'password_reset'] as const satisfies LetterKind[]

export type PasswordKind = (typeof withPassword)[number]

export const carriesPassword = (kind: string): kind is PasswordKind =>
  (withPassword as readonly string[]).includes(kind)

export const isLinked = (kind: string): kind is LinkedKind => Object.hasOwn(paths, kind)

export function linkFor(kind: LinkedKind, secretId: string, keys: Keys, appUrl: string): string {
  return `${appUrl}${paths[kind]}?token=${linkToken(keys, secretId)}`
}

/** Where anybody can ask for a link to a new password; opens nothing by itself. */
export const recoveryPage = (appUrl: string) => `${appUrl}${paths.reset_password}`
