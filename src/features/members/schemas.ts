import { z } from 'zod'
import { addedField } from '../../lib/added-fields.ts'
import { EmailAddress } from '../../lib/emails.ts'
import { pageQuery } from '../../lib/paging.ts'
import { clearableText, folded, requiredText, singleLineText } from '../../lib/text.ts'
import { Uuid } from '../../lib/uuids.ts'

const ROLES_MAX = 50

const details = {
  phone: clearableText(32),
  position: clearableText(100),
  document_type: clearableText(64),
  document_number: clearableText(50),
}
const BRANCHES_MAX = 50

export const roleIds = z.array(Uuid).max(ROLES_MAX, `must have at most ${ROLES_MAX} roles`).optional()
export const branchIds = z.array(Uuid).max(BRANCHES_MAX, `must have at most ${BRANCHES_MAX} branches`).optional()

export const NewMember = z
  .object({ name: requiredText(100), email: EmailAddress, roleIds, branchIds, ...details })
  .meta({ id: 'NewMember' })
export type NewMember = z.output<typeof NewMember>

export const MemberUpdate = z
  .object({
    roleIds,
    branchIds: branchIds.describe('Replaces all of the member’s branches; `[]` removes them all.'),
    status: z.enum(['active', 'inactive']).optional(),
    ...details,
  })
  .meta({ id: 'MemberUpdate' })
export type MemberUpdate = z.output<typeof MemberUpdate>

export const Assignment = z
  .object({
    userId: Uuid,
    roleNames: z.array(requiredText(60)).max(ROLES_MAX).optional().describe('Case-insensitive. Defaults to `Member`.'),
    branchIds,
    phone: clearableText(32),
  })
  .meta({ id: 'Assignment' })
export type Assignment = z.output<typeof Assignment>

export const MemberQuery = z.object({
  ...pageQuery(['name', 'email', 'created_at', 'status']),
  search: singleLineText(254).optional().describe('Searches name and email address, ignoring case and accents.'),
  status: z.enum(['active', 'inactive']).optional().describe('Only members with this status.'),
  roleId: Uuid.optional().describe('Only members with this role.'),
  branchId: Uuid.optional().describe('Only direct members of this branch.'),
})
export type MemberQuery = z.output<typeof MemberQuery>

export const SearchQuery = z.object({
  q: singleLineText(254)
    .refine((text) => [...text].length >= 2, 'must have at least 2 characters')
    .refine((text) => folded(text).trim() !== '', 'must contain letters or digits')
    .meta({ minLength: 2, description: 'A part of the name or the address, or a whole address.' }),
})

export const OneMember = z.object({ userId: Uuid })
export const OneMemberOfCompany = z.object({ id: Uuid, userId: Uuid })
export const OneCompany = z.object({ id: Uuid })

export const Member = z
  .object({
    id: z.uuid(),
    name: z.string(),
    email: z.string(),
    roles: z.array(z.string()).describe('Names of the roles in this company.'),
    roleIds: z.array(z.uuid()).describe('IDs of these roles, in the same order.'),
    status: z.enum(['active', 'inactive']),
    phone: z.string(),
    position: z.string(),
    avatar_url: z.string().nullable(),
    must_change_password: z
      .boolean()
      .describe('The account has only a temporary password, which must be changed at sign-in.'),
    managed: z
      .boolean()
      .describe(
        'The company created the account, and the account uses no other company: its password can be reset here. Not once a password was chosen by an emailed link that verified the address, as long as the account has not opened the company since.',
      ),
    password_shown: z
      .boolean()
      .describe(
        'An administrator was shown a password of the account, and its address has not been verified by email since.',
      ),
    second_factor: addedField(z.boolean().describe('The account asks for a second factor when it signs in.'), false),
    branchIds: z.array(z.uuid()).describe('Branches of the member, ordered by ID.'),
    created_at: z.iso.datetime().describe('When this membership began.'),
  })
  .meta({ id: 'Member' })
export type Member = z.output<typeof Member>

export const AddedMember = z
  .object({ id: z.uuid(), name: z.string(), email: z.string(), isNewUser: z.boolean() })
  .meta({ id: 'AddedMember' })
export type AddedMember = z.output<typeof AddedMember>

export const CompanyOfMember = z
  .object({ id: z.uuid(), name: z.string(), slug: z.string(), roles: z.array(z.string()) })
  .meta({ id: 'CompanyOfMember' })
export type CompanyOfMember = z.output<typeof CompanyOfMember>

export const MailedPassword = z
  .object({
    emailed: z.boolean().describe('False if the password was replaced, but the limit of emails was reached.'),
    replaced: addedField(
      z
        .boolean()
        .nullable()
        .describe(
          'The password before stopped working, and all sessions of the member were signed out. Otherwise it works beside the new one. `null`: a repeated response of version 0.2.0, which doesn’t say.',
        ),
      null,
    ),
  })
  .meta({ id: 'MailedPassword' })
export type MailedPassword = z.output<typeof MailedPassword>

export const TemporaryPassword = z.object({ temporaryPassword: z.string() }).meta({ id: 'TemporaryPassword' })

export const DetachedMember = z.object({ id: z.uuid() })
