import type { Problem } from '@tenantry/client'
import type { Areas } from '../texts/areas.ts'
import type { Texts } from '../texts/types.ts'
import { useTexts } from '../texts/use-texts.ts'
import { PasskeyTrouble } from './passkeys.ts'
import { isProblem, SECONDS_MAX } from './problems.ts'

type ProblemTexts = Texts<Areas['problems']>

/** Problems in the reader's language. The service speaks English to developers; its codes decide what is said here. */
export function useSayProblem() {
  const t = useTexts('problems')
  return {
    say: (error: unknown) => say(t, error),
    /** The fields that it names, each with what is wrong there. */
    fieldErrors: (error: Problem, fieldOf: Record<string, string>) => fieldErrors(t, error, fieldOf),
  }
}

function say(t: ProblemTexts, error: unknown): string {
  if (error instanceof PasskeyTrouble) return t.passkeys[error.reason]
  if (!isProblem(error)) return t.general.server
  if (error.code === 'network_error') return t.general.network_error
  if (error.status === 429 && error.retryAfter) return sayLimit(t, error.code, error.retryAfter)
  if (error.code === 'permission_missing') return sayPermission(t, error.required)
  const known: Record<string, string> = t.byCode
  return known[error.code] ?? byStatus(t, error.status)
}

/** What there was too much of, and until when: an hour is not counted in seconds. */
function sayLimit({ limits, general }: ProblemTexts, code: string, seconds: number): string {
  const known: Record<string, string> = limits
  const wait =
    seconds > SECONDS_MAX ? general.waitMinutes({ minutes: Math.ceil(seconds / 60) }) : general.wait({ seconds })
  return `${known[code] ?? limits.rate_limited} ${wait}`
}

function sayPermission({ general, permissions }: ProblemTexts, required: string): string {
  const texts: Record<string, string> = permissions
  return general.permission({ permission: texts[required] ?? required })
}

function byStatus({ general }: ProblemTexts, status: number): string {
  if (status === 403) return general.forbidden
  if (status === 404) return general.missing
  return status >= 500 || status === 0 ? general.server : general.refused
}

function fieldErrors(t: ProblemTexts, error: Problem, fieldOf: Record<string, string>): Record<string, string> {
  const field = fieldOf[error.code]
  if (field !== undefined) return { [field]: say(t, error) }
  if (error.code !== 'validation_failed') return {}
  return Object.fromEntries(error.details.map(({ path, message }) => [path, sayDetail(t, path, message)]))
}

/** By the words of the service, which a test holds it to; anything else is simply not valid. */
function sayDetail({ fields }: ProblemTexts, path: string, message: string): string {
  if (/can’t be blank|is required/.test(message)) return fields.blank
  const [, max] = /at most ([\d,]+) characters/.exec(message) ?? []
  if (max) return fields.long({ max: Number(max.replace(',', '')) })
  if (/too common/.test(message)) return fields.common
  if (/email address/.test(message)) return /password/i.test(path) ? fields.sameAsEmail : fields.email
  return /password/i.test(path) ? fields.password : fields.invalid
}
