import { z } from 'zod'
import { requiredText } from '../../../lib/text.ts'
import { Uuid } from '../../../lib/uuids.ts'
import { PasskeyAssertion } from '../passkeys/schemas.ts'

export const FactorName = requiredText(60)

export const OneFactor = z.object({ factorId: Uuid })

export const Factor = z
  .object({
    id: z.uuid(),
    kind: z.enum(['totp', 'passkey']).describe('`totp`: codes of an app.'),
    name: z.string(),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().nullable(),
    synced: z.boolean().optional().describe('Of a passkey: a provider copies it to your other devices.'),
    copied_at: z.iso
      .datetime()
      .optional()
      .describe('Of a passkey: when it was last refused because there may be a copy of it. Replace it.'),
  })
  .meta({ id: 'Factor' })
export type Factor = z.output<typeof Factor>

export const RequiringCompany = z.object({ id: z.uuid(), name: z.string() })
export type RequiringCompany = z.output<typeof RequiringCompany>

/** One way to prove a second factor. Which ones there are, `methods` says. */
export const answer = {
  code: z
    .string()
    .regex(/^[0-9]{6}$/, 'must have 6 digits')
    .optional()
    .describe('From your app.'),
  recoveryCode: z
    .string()
    .min(1, 'can’t be blank')
    .max(64)
    .optional()
    .describe('One of your recovery codes. Case and dashes don’t matter. It works once.'),
  credential: PasskeyAssertion.optional().describe('What `navigator.credentials.get()` gives, as JSON.'),
}

export interface FactorAnswer {
  code?: string | undefined
  recoveryCode?: string | undefined
  credential?: PasskeyAssertion | undefined
}

/** For bodies of which exactly one of these fields is there. */
export const hasOneOf =
  (...fields: string[]) =>
  (body: object): boolean =>
    fields.filter((field) => (body as Record<string, unknown>)[field] !== undefined).length === 1

/** The same for the document, where a field may need another one. */
export const needsOneOf = (...fields: (string | string[])[]) => fields.map((field) => ({ required: [field].flat() }))
