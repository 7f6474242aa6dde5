import { z } from 'zod'
import { EmailAddress } from '../../lib/emails.ts'
import { Slug } from '../../lib/slugs.ts'
import { clearableLine, line, requiredLine } from '../../lib/text.ts'
import { NewPassword } from '../accounts/password-policy.ts'
import { Locale, Timezone } from '../accounts/schemas.ts'

const Name = requiredLine(100)

export const Registration = z
  .object({
    email: EmailAddress,
    password: NewPassword,
    name: Name,
    companyName: requiredLine(120),
    taxId: requiredLine(50),
    slug: Slug.optional().describe(
      'Made from the name when it is left out, with random letters where it could not tell the whole name.',
    ),
  })
  .meta({ id: 'Registration' })

export const LinkToken = z
  .object({ token: z.string().min(1, 'must not be blank').max(1024).describe('What the link in the letter carries.') })
  .meta({ id: 'LinkToken' })

const AvatarUrl = line(2048)
  .refine((text) => text === '' || isWebAddress(text), 'must be an http or https address')
  .meta({ pattern: '^(https?://[^\\s\\\\]+)?$', description: 'An http or https address.' })
  .nullable()
  .transform((text) => text || null)
  .optional()

/** Every field may be left out; `""` or `null` clears the optional ones. */
export const ProfileUpdate = z
  .object({
    name: Name.optional(),
    email: EmailAddress.optional(),
    phone: clearableLine(32),
    avatar_url: AvatarUrl,
    position: clearableLine(100),
    document_type: clearableLine(64),
    document_number: clearableLine(50),
    timezone: Timezone,
    locale: Locale,
  })
  .meta({ id: 'ProfileUpdate' })

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
    must_change_password: z.boolean().describe('A temporary password is in force.'),
    created_at: z.iso.datetime(),
    pending_email: z.string().optional().describe('The address that awaits verification.'),
  })
  .meta({ id: 'User' })

const TenantSummary = z.object({ id: z.uuid(), name: z.string(), slug: z.string() }).meta({ id: 'TenantSummary' })

const byCompany = z.record(z.string(), z.array(z.string()))

export const SessionContext = z
  .object({
    user: User,
    tenants: z.array(TenantSummary),
    companyPermissions: byCompany.describe('By company id: permissions such as `users:read`.'),
    companyRoles: byCompany.describe('By company id: names of roles.'),
  })
  .meta({ id: 'SessionContext' })

export const SignedIn = z
  .object({ ...SessionContext.shape, accessToken: z.string(), refreshToken: z.string() })
  .meta({ id: 'SignedIn' })

function isWebAddress(text: string): boolean {
  const address = URL.parse(text)
  return address !== null && ['http:', 'https:'].includes(address.protocol) && !/[\s\\]/.test(text)
}
