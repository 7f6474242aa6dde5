import { z } from 'zod'
import { permissions } from '../../access/permissions.ts'
import { addedField } from '../../lib/added-fields.ts'
import { pageQuery } from '../../lib/paging.ts'
import { clearableText, folded, requiredText, singleLineText } from '../../lib/text.ts'
import { Uuid } from '../../lib/uuids.ts'
import { AccountSummary } from '../accounts/schemas.ts'
import { MemberQuery } from '../members/schemas.ts'

const flag = z.enum(['true', 'false']).optional()
const dryRun = flag.describe('`true`: returns what would happen, and changes nothing.')

// Selectors show a rare form of a letter, as a person’s name may need it; names of roles are told apart by plain
// letters.
const FORM_SELECTORS = /[\u180b-\u180f\u{e0100}-\u{e01ef}]/u

const RoleName = requiredText(60)
  .refine((name) => folded(name) !== '', 'must contain letters or digits')
  .refine((name) => !FORM_SELECTORS.test(name), 'contains characters that aren’t allowed')
  .describe('Unique in the company, ignoring case, accents, and characters that look alike.')

const PermissionName = z.enum(permissions).meta({ id: 'PermissionName' })

const Permissions = z
  .array(PermissionName)
  .max(permissions.length, `must have at most ${permissions.length} permissions`)
  .describe('Only permissions that you have.')

export const NewRole = z
  .object({ name: RoleName, description: clearableText(300), permissions: Permissions })
  .meta({ id: 'NewRole' })
export type NewRole = z.output<typeof NewRole>

export const RoleUpdate = z
  .object({
    name: RoleName.optional(),
    description: clearableText(300),
    permissions: Permissions.optional().describe('Replaces all permissions of the role.'),
  })
  .meta({ id: 'RoleUpdate' })
export type RoleUpdate = z.output<typeof RoleUpdate>

export const RoleQuery = z.object({
  ...pageQuery(['name', 'created_at', 'memberCount']),
  search: singleLineText(254).optional().describe('Searches name and description, ignoring case and accents.'),
  isSystem: flag.describe('`true`: only built-in roles; `false`: only the company’s own.'),
})
export type RoleQuery = z.output<typeof RoleQuery>

export const OneRole = z.object({ roleId: Uuid })
export const ChangeQuery = z.object({ dryRun })
export const DeleteQuery = z.object({
  dryRun,
  reassignTo: Uuid.optional().describe(
    'The role that members with the deleted role, and people who are about to join with it, get instead.',
  ),
})
export const HoldersQuery = MemberQuery.omit({ roleId: true })
export const ExplainQuery = z.object({
  userId: Uuid,
  permission: PermissionName,
})
export type ExplainQuery = z.output<typeof ExplainQuery>
export type HoldersQuery = z.output<typeof HoldersQuery>

const role = {
  id: z.uuid(),
  name: z.string(),
  description: z.string(),
  permissions: z.array(z.string()).describe('Names of the catalogue. Values may be added.'),
  isSystem: z.boolean().describe('Built-in role: every company has it, and it can’t be changed or deleted.'),
  memberCount: z.int().describe('Number of members with this role, active or inactive.'),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
}

export const Role = z.object(role).meta({ id: 'Role' })

export const PermissionImpact = z
  .object({
    permission: z.string().describe('A name of the catalogue. Values may be added.'),
    memberCount: z.int().describe('Members who would gain or lose it (no other role gives it to them).'),
    members: z
      .array(AccountSummary)
      .optional()
      .describe('The first 100, by ID. Only included if you have `users:read`.'),
  })
  .meta({ id: 'PermissionImpact' })
export type PermissionImpact = z.output<typeof PermissionImpact>

export const RoleImpact = z
  .object({
    memberCount: z.int().describe('Members who would gain or lose something.'),
    gaining: z.array(PermissionImpact).describe('What members would gain, by permission.'),
    losing: z.array(PermissionImpact).describe('What members would lose, by permission.'),
    joiningCount: addedField(
      z
        .int()
        .describe(
          'Pending invitations, links and domains that give the role: people who join by them get what it gives then, or the role in `reassignTo`, or Member where that gives more and other members made them.',
        ),
      0,
    ),
  })
  .meta({ id: 'RoleImpact' })
export type RoleImpact = z.output<typeof RoleImpact>

const impact = RoleImpact.optional().describe('Dry runs only: the effect on members.')

export const UpdatedRole = z.object({ ...role, impact }).meta({ id: 'UpdatedRole' })
export const DeletedRole = z.object({ id: z.uuid(), impact }).meta({ id: 'DeletedRole' })

export const Permission = z
  .object({
    name: z.string().describe('What a role lists. Values may be added.'),
    resource: z.string(),
    action: z.string(),
    description: z.string().describe('In the language of the response.'),
    group: z.string().describe('Group to show it under, in the language of the response.'),
  })
  .meta({ id: 'Permission' })

export const Explanation = z
  .object({
    allowed: z.boolean(),
    roles: z
      .array(z.object({ id: z.uuid(), name: z.string() }))
      .describe('Roles that give the permission; empty if none does.'),
    reason: z
      .enum(['held', 'not_held', 'inactive', 'not_open_yet'])
      .describe(
        '`not_held`: no role gives it. `inactive`: the member is inactive. `not_open_yet`: the account’s email address is not verified.',
      ),
  })
  .meta({ id: 'Explanation' })
export type Explanation = z.output<typeof Explanation>
