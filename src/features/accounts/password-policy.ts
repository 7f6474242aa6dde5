import { z } from 'zod'
import type { Config } from '../../config/config.ts'
import { secretText } from '../../lib/text.ts'
import { problem } from '../../problems.ts'
import { isCommonPassword } from './common-passwords.ts'

export const PASSWORD_LENGTH_MIN = 8
export const PASSWORD_LENGTH_MAX = 128

/** A password to be set: 8 to 128 characters with an uppercase letter, a lowercase letter and a digit. */
export const NewPassword = z
  .string()
  .refine((text) => [...text].length >= PASSWORD_LENGTH_MIN, `must have at least ${PASSWORD_LENGTH_MIN} characters`)
  .max(PASSWORD_LENGTH_MAX * 4, `must have at most ${PASSWORD_LENGTH_MAX} characters`)
  .refine((text) => [...text].length <= PASSWORD_LENGTH_MAX, `must have at most ${PASSWORD_LENGTH_MAX} characters`)
  .refine((text) => /\p{Lu}/u.test(text), 'must have an uppercase letter')
  .refine((text) => /\p{Ll}/u.test(text), 'must have a lowercase letter')
  .refine((text) => /\p{Nd}/u.test(text), 'must have a digit')
  .refine((text) => text.isWellFormed() && !text.includes('\0'), 'contains characters that aren’t allowed')
  .meta({
    rules:
      '8 to 128 characters with an uppercase letter, a lowercase letter and a digit, of any script; not the email address.',
    format: 'password',
    minLength: PASSWORD_LENGTH_MIN,
    maxLength: PASSWORD_LENGTH_MAX,
    pattern: '^[^\\u0000]*$',
  })

/** A password to verify. Only its length is bounded, because the policy may have been different when it was chosen. */
export const SubmittedPassword = secretText(PASSWORD_LENGTH_MAX * 4)

/** Checks the rules that depend on the account. `field` is the password's name in the request. */
export function assertAcceptablePassword(password: string, email: string, config: Config, field: string): void {
  if (password.toLowerCase() === email) throw invalid(field, 'can’t be your email address')
  if (!config.passwordBlocklist) return
  if (isCommonPassword(password.trim())) throw invalid(field, 'is too common')
  if (isGuessableName(password, email, config)) throw invalid(field, 'is little more than a name that others know')
}

/** The lengths that a company may ask for. */
export const PASSWORD_LENGTH_CLASSES = [8, 12, 15] as const

/** The class of a session that no password opened. */
export const WITHOUT_PASSWORD = 0

/**
 * What a session keeps of the password that opened it, so that a company may refuse a weak one: the greatest of
 * PASSWORD_LENGTH_CLASSES that it reaches, negative for one that PASSWORD_BLOCKLIST refuses. It says so little that the
 * session's row does not help to guess the password.
 */
export function passwordClassOf(password: string, email: string, config: Config): number {
  const length = [...password].length
  const reached = PASSWORD_LENGTH_CLASSES.findLast((bound) => length >= bound) ?? PASSWORD_LENGTH_MIN
  return isCommonPassword(password.trim()) || isGuessableName(password, email, config) ? -reached : reached
}

function isGuessableName(password: string, email: string, config: Config): boolean {
  return guessableWords(email, config).has(lettersOf(password.toLowerCase()))
}

/** The words that an attacker tries for this account: the name and host of the service, and the parts of the address. */
function guessableWords(email: string, { appUrl = '', brand }: Config): ReadonlySet<string> {
  const name = brand.name.toLowerCase()
  const names = [name, ...name.split(/\s+/), 'tenantry', ...(URL.parse(appUrl)?.hostname.split('.') ?? [])]
  // A label such as acme-widgets counts as a whole as well.
  const parts = [...email.split(/[^\p{L}]+/u), ...email.split(/[@.]/), email.slice(0, email.indexOf('@'))]
  return new Set([...names, ...parts].map(lettersOf).filter((word) => word !== ''))
}

/** The word without the digits and signs that people add to pass a policy. */
const lettersOf = (text: string) => text.replace(/\P{L}/gu, '')

const invalid = (path: string, message: string) => problem('validation_failed', { details: [{ path, message }] })
