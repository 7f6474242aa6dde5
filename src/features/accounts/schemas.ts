import { z } from 'zod'
import { addedField } from '../../lib/added-fields.ts'
import { pageQuery } from '../../lib/paging.ts'
import { singleLineText } from '../../lib/text.ts'

export const Timezone = singleLineText(64)
  .refine((text) => text === '' || isTimezone(text), 'must be an IANA time zone such as Europe/Lisbon')
  .meta({
    pattern: '^([A-Za-z][A-Za-z0-9_+\\-]*(/[A-Za-z0-9_+\\-]+)*)?$',
    rules: 'An IANA time zone such as `Europe/Lisbon`.',
  })
  .nullable()
  .transform((text) => text ?? '')
  .optional()

export const Locale = singleLineText(35)
  .refine((text) => text === '' || canonicalLocale(text) !== undefined, 'must be a BCP 47 language tag such as pt-BR')
  .meta({ pattern: '^([A-Za-z0-9]{1,8}(-[A-Za-z0-9]{1,8})*)?$', rules: 'A BCP 47 language tag such as `pt-BR`.' })
  .nullable()
  .transform((text) => canonicalLocale(text ?? '') ?? '')
  .optional()

/** Of a request that may need a code from the mailbox of the account: see `confirmMailbox`. */
export const EmailCode = z
  .string()
  .regex(/^[0-9]{8}$/, 'must have 8 digits')
  .optional()
  .describe('From the email, after 403 `mailbox_code_required`. Left out, it asks for another one.')

export const MailboxConfirmation = z.object({ emailCode: EmailCode }).meta({ id: 'MailboxConfirmation' })
export type MailboxConfirmation = z.output<typeof MailboxConfirmation>

/** An account as shown to other people who may know of it. */
export const AccountSummary = z
  .object({ id: z.uuid(), name: z.string(), email: z.string() })
  .meta({ id: 'AccountSummary' })
export type AccountSummary = z.output<typeof AccountSummary>

export const User = z
  .object({
    id: z.uuid(),
    email: z.string(),
    name: z.string(),
    phone: z.string(),
    avatar_url: z.string().nullable(),
    position: z.string(),
    document_type: z.string(),
    document_number: z.string(),
    timezone: z.string(),
    locale: z.string(),
    email_verified: z.boolean(),
    must_change_password: z.boolean().describe('You signed in with a temporary password and must change it.'),
    second_factor: addedField(z.boolean().describe('Signing in asks for a second factor.'), false),
    created_at: z.iso.datetime(),
    pending_email: z.string().optional().describe('New email address waiting to be confirmed.'),
  })
  .meta({ id: 'User' })
export type User = z.output<typeof User>

export const Session = z
  .object({
    id: z.uuid(),
    device: z.string().describe('Such as "Firefox on Windows".'),
    user_agent: z.string(),
    ip: z.string(),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().describe('When its tokens were last refreshed.'),
    expires_at: z.iso.datetime(),
    current: z.boolean().describe('Whether this is the session making the request.'),
  })
  .meta({ id: 'Session' })
export type Session = z.output<typeof Session>

export const SessionQuery = z.object({
  ...pageQuery(['last_used_at', 'created_at']),
  sortDir: z.enum(['asc', 'desc']).default('desc'),
})
export type SessionQuery = z.output<typeof SessionQuery>

/** A name from the IANA database. Intl also accepts offsets such as `+01:00`, which are not allowed here. */
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
