import { z } from 'zod'
import type { Config } from '../../config/config.ts'
import { secretText } from '../../lib/text.ts'
import { problem } from '../../problems.ts'
import { commonestPasswords } from './common-passwords.ts'

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

/** A password to be checked: whatever was accepted once must be readable, so only its length is bounded. */
export const PresentedPassword = secretText(PASSWORD_LENGTH_MAX * 4)

/** The rules that need to know whose password it is. `field` is its name in the request. */
export function assertAcceptablePassword(password: string, email: string, config: Config, field: string): void {
  const plain = password.toLowerCase()
  if (plain === email) throw unfit(field, 'can’t be your email address')
  if (!config.passwordBlocklist) return
  if (commonestPasswords.has(plain)) throw unfit(field, 'is too common')
  if (ownWords(email, config).has(lettersOf(plain))) throw unfit(field, 'is little more than a name that others know')
}

/** The words that a guesser tries for this person at this service: its name and host, and the parts of the address. */
function ownWords(email: string, { appUrl = '' }: Config): ReadonlySet<string> {
  const parts = [...email.split(/[^\p{L}]+/u), ...(URL.parse(appUrl)?.hostname.split('.') ?? []), 'tenantry']
  return new Set([...parts, email.split('@')[0] as string].map(lettersOf).filter((word) => word !== ''))
}

/** A word without the digits and signs that people put around it to pass a policy. */
const lettersOf = (text: string) => text.replace(/\P{L}/gu, '')

const unfit = (path: string, message: string) => problem('validation_failed', { details: [{ path, message }] })
