import { z } from 'zod'
import { addedField } from '../../lib/added-fields.ts'
import { EmailAddress } from '../../lib/emails.ts'
import { PasskeyRequestOptions } from '../../lib/passkey-requests.ts'
import { Slug } from '../../lib/slugs.ts'
import { clearableText, requiredText, singleLineText } from '../../lib/text.ts'
import { answer, Factor, FactorName, hasOneOf, needsOneOf, RequiringCompany } from '../accounts/factors/schemas.ts'
import { NewPasskey, PasskeyAssertion, PasskeyCreationOptions } from '../accounts/passkeys/schemas.ts'
import { NewPassword, SubmittedPassword } from '../accounts/password-policy.ts'
import { EmailCode, Locale, Timezone, User } from '../accounts/schemas.ts'

export const Name = requiredText(100)

export const SessionIn = z
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
    locale: Locale.describe('The language of the account and of its company, for emails. Left out: English.'),
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

export const TenantSummary = z
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
    companyAccess: addedField(
      z
        .record(z.string(), z.string())
        .describe(
          'By company id: `open`, or the code with which every request there is refused for this session, such as `company_suspended` or `second_factor_required_by_company`. Values may be added.',
        ),
      {},
    ),
    unopenedCompanies: addedField(
      z
        .array(z.uuid())
        .describe(
          'Those of `tenants` that the account has not opened: others have added it, and its first request there that is not refused for a permission opens the company. The one that has created the account can be among them again after a reset by link, because another person may have opened it. Ask the person before you send one.',
        ),
      [],
    ),
    companyAccessFrom: z
      .record(z.string(), z.object({ from: z.iso.datetime(), code: z.string() }))
      .optional()
      .describe(
        'By company id, only those whose policy will ask from a date on for what the account lacks: the code with which its requests are refused then. Left out if there are none. Values may be added.',
      ),
    creatorCompany: z
      .uuid()
      .optional()
      .describe(
        'The one of `tenants` that has created the account: its members with `users:update` may be able to set the password and to remove the second factors. A reset by link can end that until the account opens the company again. Left out if there is none.',
      ),
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

export const ChallengeToken = z.string().min(1, 'can’t be blank').max(1024).describe('The token of the challenge.')

export const PasskeySignIn = z
  .object({ challenge: ChallengeToken, credential: PasskeyAssertion, sessionIn: SessionIn })
  .meta({ id: 'PasskeySignIn' })
export type PasskeySignIn = z.output<typeof PasskeySignIn>

const EXAMPLE_CHALLENGE = 'AZnQwHoRfD6dUj8eW3qcAQ-q7Jx0b5mYkTn2vR8sLhE2cM4nPq6rSu'

export const SecondFactorProof = z
  .object({
    challenge: ChallengeToken.describe('The `challenge.token` of the refused sign-in.'),
    ...answer,
    sessionIn: SessionIn,
  })
  .refine(hasOneOf('code', 'recoveryCode', 'credential'), 'must have one of code, recoveryCode, and credential')
  .meta({
    id: 'SecondFactorProof',
    oneOf: needsOneOf('code', 'recoveryCode', 'credential'),
    examples: [{ challenge: EXAMPLE_CHALLENGE, code: '492039' }],
  })
export type SecondFactorProof = z.output<typeof SecondFactorProof>

export const StepUp = z
  .object({
    currentPassword: SubmittedPassword.optional().describe('Only if you have no second factor.'),
    ...answer,
    challenge: ChallengeToken.optional().describe('With `credential`.'),
  })
  .refine(
    hasOneOf('currentPassword', 'code', 'recoveryCode', 'credential'),
    'must have one of currentPassword, code, recoveryCode, and credential',
  )
  .refine(({ challenge, credential }) => !credential || challenge !== undefined, {
    path: ['challenge'],
    message: 'is required',
  })
  .meta({
    id: 'StepUp',
    oneOf: needsOneOf('currentPassword', 'code', 'recoveryCode', ['credential', 'challenge']),
    examples: [{ code: '492039' }],
  })
export type StepUp = z.output<typeof StepUp>

export const SteppedUp = z
  .object({
    authenticated_at: z.iso.datetime().describe('When this session last proved your password.'),
    second_factor_at: z.iso.datetime().optional().describe('When it last proved a second factor.'),
  })
  .meta({ id: 'SteppedUp' })
export type SteppedUp = z.output<typeof SteppedUp>

export const StepUpOptions = z
  .object({
    methods: z.array(z.string()).describe('How you can confirm that it’s you. Values may be added.'),
    challenge: z.string().optional().describe('If you have a passkey. Goes into the confirmation.'),
    options: PasskeyRequestOptions.optional().describe('If you have a passkey.'),
  })
  .meta({ id: 'StepUpOptions' })
export type StepUpOptions = z.output<typeof StepUpOptions>

export const Factors = z
  .object({
    factors: z.array(Factor),
    recoveryCodesLeft: z.int().min(0),
    required_by: z
      .array(RequiringCompany)
      .describe(
        'Your companies that ask you for a second factor. While there are any, your last factor can’t be removed.',
      ),
  })
  .meta({ id: 'Factors' })
export type Factors = z.output<typeof Factors>

export const PasskeyCreation = z
  .object({ challenge: z.string().describe('Goes with the new passkey.'), options: PasskeyCreationOptions })
  .meta({ id: 'PasskeyCreation' })

export const PasskeyAddition = z
  .object({ challenge: ChallengeToken, credential: NewPasskey, name: FactorName.optional() })
  .meta({ id: 'PasskeyAddition' })
export type PasskeyAddition = z.output<typeof PasskeyAddition>

export const TotpStart = z.object({ name: FactorName.optional(), emailCode: EmailCode }).meta({ id: 'TotpStart' })

export const NewTotp = z
  .object({
    id: z.uuid(),
    secret: z.string().describe('For typing into the app. Shown only now.'),
    uri: z.string().describe('The same as an `otpauth` address, for a QR code.'),
  })
  .meta({ id: 'NewTotp' })
export type NewTotp = z.output<typeof NewTotp>

export const TotpConfirmation = z.object({ code: answer.code.unwrap() }).meta({ id: 'TotpConfirmation' })

export const FactorUpdate = z.object({ name: FactorName }).meta({ id: 'FactorUpdate' })

const recoveryCodes = z.array(z.string()).describe('Each works once. Shown only now.')

export const RecoveryCodes = z.object({ recoveryCodes }).meta({ id: 'RecoveryCodes' })
export type RecoveryCodes = z.output<typeof RecoveryCodes>

export const AddedFactor = z
  .object({ factor: Factor, recoveryCodes: recoveryCodes.optional() })
  .meta({ id: 'AddedFactor' })
export type AddedFactor = z.output<typeof AddedFactor>

export const TokenPair = z.object(tokens).meta({ id: 'TokenPair' })

const compromised = z.boolean().optional().meta({
  description:
    'Someone else may have used the account. What was given from it until now is void as well, and each of it has to be made again: pending invitations, invitation links, offers of ownership, domains that let people join, and temporary passwords that it was shown.',
})

export const PasswordChange = z
  .object({ currentPassword: SubmittedPassword, newPassword: NewPassword, compromised })
  .meta({ id: 'PasswordChange' })
export type PasswordChange = z.output<typeof PasswordChange>

export const ChangedPassword = z
  .object({
    signedOut: z
      .literal(true)
      .optional()
      .describe('This session has ended as well, because the account may have been compromised: sign in again.'),
  })
  .meta({ id: 'ChangedPassword' })
export type ChangedPassword = z.output<typeof ChangedPassword>

export const PasswordReset = z
  .object({
    token: z.string().min(1, 'can’t be blank').max(1024),
    newPassword: NewPassword,
    compromised,
  })
  .meta({ id: 'PasswordReset' })
export type PasswordReset = z.output<typeof PasswordReset>

function isWebAddress(text: string): boolean {
  const address = URL.parse(text)
  return address !== null && ['http:', 'https:'].includes(address.protocol) && !/[\s\\]/.test(text)
}
