import { z } from 'zod'
import { pageQuery } from '../../http/paging.ts'
import { EmailAddress } from '../../lib/emails.ts'
import { clearableLine, folded, line, requiredLine } from '../../lib/text.ts'
import { Uuid } from '../../lib/uuids.ts'

const ROLES_MAX = 50

const details = {
  phone: clearableLine(32),
  position: clearableLine(100),
  document_type: clearableLine(64),
  document_number: clearableLine(50),
}
const BRANCHES_MAX = 50

const roleIds = z.array(Uuid).max(ROLES_MAX, `must have at most ${ROLES_MAX} roles`).optional()
const branchIds = z.array(Uuid).max(BRANCHES_MAX, `must have at most ${BRANCHES_MAX} branches`).optional()

export const NewMember = z
  .object({ name: requiredLine(100), email: EmailAddress, roleIds, branchIds, ...details })
  .meta({ id: 'NewMember' })
export type NewMember = z.output<typeof NewMember>

export const MemberUpdate = z
  .object({
    roleIds,
    branchIds: branchIds.describe('All branches that the member is to belong to; `[]`: none.'),
    status: z.enum(['active', 'inactive']).optional(),
    ...details,
  })
  .meta({ id: 'MemberUpdate' })
export type MemberUpdate = z.output<typeof MemberUpdate>

export const Assignment = z
  .object({
    userId: Uuid,
    roleNames: z.array(requiredLine(60)).max(ROLES_MAX).optional().describe('In any letter case. None: `Member`.'),
    branchIds,
    phone: clearableLine(32),
  })
  .meta({ id: 'Assignment' })
export type Assignment = z.output<typeof Assignment>

export const MemberQuery = z.object({
  ...pageQuery(['name', 'email', 'created_at', 'status']),
  search: line(254).optional().describe('In name and e-mail address, in any letter case, with or without accents.'),
  status: z.enum(['active', 'inactive']).optional().describe('Only these.'),
  roleId: Uuid.optional().describe('Only who has this role.'),
  branchId: Uuid.optional().describe('Only members who belong to this branch itself.'),
})
export type MemberQuery = z.output<typeof MemberQuery>

export const SearchQuery = z.object({
  q: line(254)
    .refine((text) => [...text].length >= 2, 'must have at least 2 characters')
    .refine((text) => folded(text).trim() !== '', 'must have letters or digits')
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
    roleIds: z.array(z.uuid()).describe('Ids of these roles, in the same order.'),
    status: z.enum(['active', 'inactive']),
    phone: z.string(),
    position: z.string(),
    avatar_url: z.string().nullable(),
    must_change_password: z.boolean().describe('A temporary password is the only one that the account has.'),
    managed: z
      .boolean()
      .describe('The company made the account and no other company counts for it: its password can be reset here.'),
    password_shown: z
      .boolean()
      .describe(
        'An administrator of the company has seen a password of the account, and no email has proven it since.',
      ),
    branchIds: z.array(z.uuid()).describe('The branches that the member belongs to, in the order of their ids.'),
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

/** `emailed` is false when the password was replaced and its email was withheld. */
export const MailedPassword = z.object({ emailed: z.boolean() }).meta({ id: 'MailedPassword' })

export const TemporaryPassword = z.object({ temporaryPassword: z.string() }).meta({ id: 'TemporaryPassword' })

export const DetachedMember = z.object({ id: z.uuid() })
