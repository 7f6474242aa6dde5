import { z } from 'zod'
import { line } from '../../lib/text.ts'

export const Timezone = line(64)
  .refine((text) => text === '' || isTimezone(text), 'must be an IANA time zone such as Europe/Lisbon')
  .meta({ pattern: '^([A-Za-z][\\w+\\-]*(/[\\w+\\-]+)*)?$', description: 'A name of the IANA database.' })
  .nullable()
  .transform((text) => text ?? '')
  .optional()

export const Locale = line(35)
  .refine((text) => text === '' || canonicalLocale(text) !== undefined, 'must be a BCP 47 language tag such as pt-BR')
  .meta({ pattern: '^([A-Za-z0-9]{1,8}(-[A-Za-z0-9]{1,8})*)?$', description: 'A BCP 47 language tag.' })
  .nullable()
  .transform((text) => canonicalLocale(text ?? '') ?? '')
  .optional()

/** An account as others see it who may know of it. */
export const AccountSummary = z
  .object({ id: z.uuid(), name: z.string(), email: z.string() })
  .meta({ id: 'AccountSummary' })

/** A name of the IANA database; the offsets that Intl takes as well are none. */
function isTimezone(text: string): boolean {
  if (!/^[a-z][\w+-]*(\/[\w+-]+)*$/i.test(text)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }) !== undefined
  } catch {
    return false
  }
}

function canonicalLocale(text: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(text)[0]
  } catch {
    return undefined
  }
}
