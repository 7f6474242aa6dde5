import { z } from 'zod'
import { EmailAddress, EmailDomain } from '../../lib/emails.ts'
import { pageQuery } from '../../lib/paging.ts'
import { clearableText, singleLineText } from '../../lib/text.ts'
import { Uuid } from '../../lib/uuids.ts'
import { NewPassword } from '../accounts/password-policy.ts'
import { EmailCode, Locale } from '../accounts/schemas.ts'
import { LinkToken, Name, SessionIn, TenantSummary } from '../auth/schemas.ts'
import { branchIds, roleIds } from '../members/schemas.ts'

export const VALID_DAYS_DEFAULT = 7
const expiresInDays = z.int().min(1).max(30).optional()

const invitee = clearableText(100).describe('How the email addresses the person. May be empty.')

export const NewInvitation = z
  .object({
    email: EmailAddress,
    name: invitee,
    roleIds: roleIds.describe('Defaults to the role Member.'),
    branchIds,
    locale: Locale.describe('Language of the email. Defaults to the account’s, then the company’s.'),
    expiresInDays: expiresInDays.describe(`Defaults to ${VALID_DAYS_DEFAULT}.`),
  })
  .meta({ id: 'NewInvitation' })
export type NewInvitation = z.output<typeof NewInvitation>

export const InvitationUpdate = z
  .object({
    name: invitee,
    roleIds: roleIds.describe('Replaces all roles of the invitation.'),
    branchIds: branchIds.describe('Replaces all branches of the invitation; `[]` removes them all.'),
    expiresInDays: expiresInDays.describe('Counted from now.'),
  })
  .meta({ id: 'InvitationUpdate' })
export type InvitationUpdate = z.output<typeof InvitationUpdate>

const LINK_USES_MAX = 500
const DOMAINS_MAX = 20

export const NewInvitationLink = z
  .object({
    roleIds: roleIds.describe('Defaults to the role Member.'),
    maxUses: z.int().min(1).max(LINK_USES_MAX).optional().describe('How many people may join by it. Defaults to 1.'),
    expiresInDays: expiresInDays.describe(`Defaults to ${VALID_DAYS_DEFAULT}.`),
    allowedDomains: z
      .array(EmailDomain)
      .max(DOMAINS_MAX, `must have at most ${DOMAINS_MAX} domains`)
      .optional()
      .describe('Only people with a verified address at one of them may join.'),
  })
  .meta({ id: 'NewInvitationLink' })
export type NewInvitationLink = z.output<typeof NewInvitationLink>

export const InvitationLinkQuery = z.object({ ...pageQuery(['created_at', 'expires_at']) })
export type InvitationLinkQuery = z.output<typeof InvitationLinkQuery>

export const OneInvitationLink = z.object({ linkId: Uuid })

export const InvitationLink = z
  .object({
    id: z.uuid(),
    roles: z.array(z.object({ id: z.uuid(), name: z.string() })).describe('What people become, by name.'),
    maxUses: z.int(),
    uses: z.int(),
    allowedDomains: z.array(z.string()),
    status: z.enum(['active', 'used_up', 'expired', 'revoked']),
    creator: z.object({ id: z.uuid(), name: z.string() }).nullable().describe('Null: has left.'),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: 'InvitationLink' })
export type InvitationLink = z.output<typeof InvitationLink>

export const CreatedInvitationLink = z
  .object({ ...InvitationLink.shape, token: z.string().describe('Shown only here.') })
  .meta({ id: 'CreatedInvitationLink' })
export type CreatedInvitationLink = z.output<typeof CreatedInvitationLink>

export const LinkToJoin = z
  .object({ token: LinkToken.shape.token.describe('The token of an invitation link.'), emailCode: EmailCode })
  .meta({ id: 'LinkToJoin' })
export type LinkToJoin = z.output<typeof LinkToJoin>

const invitationStatuses = ['pending', 'accepted', 'declined', 'revoked', 'expired'] as const

export const InvitationQuery = z.object({
  ...pageQuery(['created_at', 'expires_at', 'email']),
  status: z.enum(invitationStatuses).optional().describe('Only invitations with this status.'),
  search: singleLineText(254).optional().describe('Searches name and email address, ignoring case and accents.'),
})
export type InvitationQuery = z.output<typeof InvitationQuery>

export const OneInvitation = z.object({ invitationId: Uuid })

export const Invitation = z
  .object({
    id: z.uuid(),
    email: z.string(),
    name: z.string(),
    locale: z.string(),
    roles: z.array(z.object({ id: z.uuid(), name: z.string() })).describe('What the person becomes, by name.'),
    branchIds: z.array(z.uuid()).describe('Ordered by ID.'),
    status: z
      .enum(invitationStatuses)
      .describe('`accepted` also once an account with the address is a member in another way.'),
    inviter: z
      .object({ id: z.uuid(), name: z.string() })
      .nullable()
      .describe('Who created, edited or sent it last, and must still be able to when it’s accepted. Null: has left.'),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
    sent_at: z.iso.datetime().describe('When it was last emailed.'),
    resent: z.int().describe('How often it was sent again.'),
    finished_at: z.iso
      .datetime()
      .nullable()
      .describe('When it was accepted, declined or revoked. Null while it’s pending, and if it expired.'),
  })
  .meta({ id: 'Invitation' })
export type Invitation = z.output<typeof Invitation>

export const RevokedInvitation = z.object({ id: z.uuid() })

const named = z.object({ name: z.string() })

export const InvitationPreview = z
  .object({
    company: named,
    inviter: named.nullable(),
    email: z.string(),
    expires_at: z.iso.datetime(),
    hasAccount: z.boolean().describe('Whether an account has this email address.'),
    next: z
      .enum(['register', 'sign_in', 'none'])
      .describe(
        'How to accept. `none`: there’s no account, and this service lets no one create one. Values may be added.',
      ),
  })
  .meta({ id: 'InvitationPreview' })
export type InvitationPreview = z.output<typeof InvitationPreview>

export const InvitationLinkPreview = z.object({ company: named }).meta({ id: 'InvitationLinkPreview' })
export type InvitationLinkPreview = z.output<typeof InvitationLinkPreview>

export const OwnInvitation = z
  .object({
    id: z.uuid(),
    company: named,
    inviter: named.nullable(),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: 'OwnInvitation' })
export type OwnInvitation = z.output<typeof OwnInvitation>

export const JoinedCompany = z
  .object({
    company: TenantSummary,
    roles: z.array(z.string()).describe('Names of your roles in it.'),
    status: z.enum(['active', 'inactive']).describe('Of your membership. An earlier one stays as it was.'),
  })
  .meta({ id: 'JoinedCompany' })
export type JoinedCompany = z.output<typeof JoinedCompany>

export const InvitedRegistration = z
  .object({
    token: LinkToken.shape.token,
    name: Name,
    password: NewPassword,
    locale: Locale.describe('Your language. Defaults to the invitation’s.'),
    sessionIn: SessionIn,
  })
  .meta({ id: 'InvitedRegistration' })
export type InvitedRegistration = z.output<typeof InvitedRegistration>
