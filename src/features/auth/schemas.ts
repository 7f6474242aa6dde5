import { z } from 'zod'
import { EmailAddress } from '../../lib/emails.ts'
import { Slug } from '../../lib/slugs.ts'
import { clearableText, requiredText, singleLineText } from '../../lib/text.ts'
import { NewPassword, SubmittedPassword } from '../accounts/password-policy.ts'
import { Locale, Timezone, User } from '../accounts/schemas.ts'

const Name = requiredText(100)

const SessionIn = z
  .literal('cookie')
  .optional()
  .describe(
    'For browsers: the refresh token is set as an `HttpOnly` cookie that no script can read, and left out of the response. Needs an `Origin` header that this service allows.',
  )

export const Registration = z
  .object({
    email: EmailAddress,
    password: NewPassword,
    name: Name,
    companyName: requiredText(120),
    taxId: requiredText(50),
    slug: Slug.optional().describe(
      'Generated from the name if left out, with random letters where the name has characters that a slug can’t.',
    ),
    sessionIn: SessionIn,
  })
  .meta({ id: 'Registration' })
export type Registration = z.output<typeof Registration>

export const LinkToken = z
  .object({ token: z.string().min(1, 'can’t be blank').max(1024).describe('The token from the emailed link.') })
  .meta({ id: 'LinkToken' })

const AvatarUrl = singleLineText(2048)
  .refine((text) => text === '' || isWebAddress(text), 'must be an http or https address')
  .meta({ pattern: '^(https?://[^\\s\\\\]+)?$', rules: 'An http or https address.' })
  .nullable()
  .transform((text) => text || null)
  .optional()

/** Every field may be left out; `""` or `null` clears the optional ones. */
export const ProfileUpdate = z
  .object({
    name: Name.optional(),
    email: EmailAddress.optional(),
    phone: clearableText(32),
    avatar_url: AvatarUrl,
    position: clearableText(100),
    document_type: clearableText(64),
    document_number: clearableText(50),
    timezone: Timezone,
    locale: Locale,
  })
  .meta({ id: 'ProfileUpdate' })
export type ProfileUpdate = z.output<typeof ProfileUpdate>

const TenantSummary = z
  .object({
    id: z.uuid(),
    name: z.string(),
    slug: z.string(),
    status: z
      .enum(['active', 'suspended'])
      .describe('In a suspended company every request is refused with `company_suspended`, except leaving it.'),
  })
  .meta({ id: 'TenantSummary' })

const byCompany = z.record(z.string(), z.array(z.string()))

export const SessionContext = z
  .object({
    user: User,
    tenants: z.array(TenantSummary),
    companyPermissions: byCompany.describe('By company id: permissions such as `users:read`. Values may be added.'),
    companyRoles: byCompany.describe('By company id: names of roles.'),
  })
  .meta({ id: 'SessionContext' })
export type SessionContext = z.output<typeof SessionContext>

const tokens = {
  accessToken: z.string(),
  refreshToken: z.string().optional().describe('Left out if it is in the session cookie.'),
}

export const SignedIn = z.object({ ...SessionContext.shape, ...tokens }).meta({ id: 'SignedIn' })
/** The rules always give a refresh token; the web layer decides where it goes. */
export type SignedIn = z.output<typeof SignedIn> & { refreshToken: string }

// Longer than any token of the service, so that foreign tokens are refused as invalid tokens and not as invalid fields.
const RefreshToken = z.string().min(1, 'can’t be blank').max(16_384)

export const RefreshBody = z
  .object({
    refreshToken: RefreshToken.optional().describe(
      'Required, except with `x-session: cookie`, where it is taken from the cookie and can’t be here.',
    ),
  })
  .meta({ id: 'RefreshToken' })

export const Credentials = z
  .object({ email: EmailAddress, password: SubmittedPassword, sessionIn: SessionIn })
  .meta({ id: 'Credentials' })
export type Credentials = z.output<typeof Credentials>

export const TokenPair = z.object(tokens).meta({ id: 'TokenPair' })

export const PasswordChange = z
  .object({ currentPassword: SubmittedPassword, newPassword: NewPassword })
  .meta({ id: 'PasswordChange' })
export type PasswordChange = z.output<typeof PasswordChange>

export const PasswordReset = z
  .object({ token: z.string().min(1, 'can’t be blank').max(1024), newPassword: NewPassword })
  .meta({ id: 'PasswordReset' })
export type PasswordReset = z.output<typeof PasswordReset>

function isWebAddress(text: string): boolean {
  const address = URL.parse(text)
  return address !== null && ['http:', 'https:'].includes(address.protocol) && !/[\s\\]/.test(text)
}
