import { z } from 'zod'
import { permissions } from '../../access/permissions.ts'
import { pageQuery } from '../../http/paging.ts'
import { clearableLine, folded, line, requiredLine } from '../../lib/text.ts'
import { Uuid } from '../../lib/uuids.ts'
import { AccountSummary } from '../accounts/schemas.ts'
import { MemberQuery } from '../members/schemas.ts'

const flag = z.enum(['true', 'false']).optional()
const dryRun = flag.describe('`true`: answers what would come of it, and changes nothing.')

// They show a rare form of one letter, as a person's name may need it; a role's name is told from others by plain ones.
const FORM_SELECTORS = /[\u180b-\u180f\u{e0100}-\u{e01ef}]/u

const RoleName = requiredLine(60)
  .refine((name) => folded(name) !== '', 'must have letters or digits')
  .refine((name) => !FORM_SELECTORS.test(name), 'has characters that are not allowed')
  .describe(
    'No other role of the company has it, in any letter case, with or without accents, or one that looks alike.',
  )

const PermissionName = z.enum(permissions).meta({ id: 'PermissionName' })

const Permissions = z
  .array(PermissionName)
  .max(permissions.length, `must have at most ${permissions.length} permissions`)
  .describe('Nothing that the caller does not hold.')

export const NewRole = z
  .object({ name: RoleName, description: clearableLine(300), permissions: Permissions })
  .meta({ id: 'NewRole' })
export type NewRole = z.output<typeof NewRole>

export const RoleUpdate = z
  .object({
    name: RoleName.optional(),
    description: clearableLine(300),
    permissions: Permissions.optional().describe('All that the role gives from now on.'),
  })
  .meta({ id: 'RoleUpdate' })
export type RoleUpdate = z.output<typeof RoleUpdate>

export const RoleQuery = z.object({
  ...pageQuery(['name', 'created_at', 'memberCount']),
  search: line(254).optional().describe('In name and description, in any letter case, with or without accents.'),
  isSystem: flag.describe('`true`: those that every company has; `false`: those that this one made.'),
})
export type RoleQuery = z.output<typeof RoleQuery>

export const OneRole = z.object({ roleId: Uuid })
export const ChangeQuery = z.object({ dryRun })
export const DeleteQuery = z.object({
  dryRun,
  reassignTo: Uuid.optional().describe('The role that every member who holds the deleted one gets instead.'),
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
  isSystem: z.boolean().describe('Every company has it; nobody can change or delete it.'),
  memberCount: z.int().describe('How many members hold it, active or not.'),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
}

export const Role = z.object(role).meta({ id: 'Role' })

export const PermissionImpact = z
  .object({
    permission: z.string().describe('A name of the catalogue. Values may be added.'),
    memberCount: z.int().describe('Members whose permissions change: none of their other roles gives it.'),
    members: z
      .array(AccountSummary)
      .optional()
      .describe('The first 100 of them by id; left out unless the caller may read members (`users:read`).'),
  })
  .meta({ id: 'PermissionImpact' })
export type PermissionImpact = z.output<typeof PermissionImpact>

export const RoleImpact = z
  .object({
    memberCount: z.int().describe('Members who would gain or lose something.'),
    gaining: z.array(PermissionImpact).describe('What members would gain, by permission.'),
    losing: z.array(PermissionImpact).describe('What members would lose, by permission.'),
  })
  .meta({ id: 'RoleImpact' })
export type RoleImpact = z.output<typeof RoleImpact>

const impact = RoleImpact.optional().describe('Of a dry run alone: what it would do to members.')

export const UpdatedRole = z.object({ ...role, impact }).meta({ id: 'UpdatedRole' })
export const DeletedRole = z.object({ id: z.uuid(), impact }).meta({ id: 'DeletedRole' })

export const Permission = z
  .object({
    name: z.string().describe('What a role lists. Values may be added.'),
    resource: z.string(),
    action: z.string(),
    description: z.string().describe('In the language of the answer.'),
    group: z.string().describe('What a role editor lists it under, in the language of the answer.'),
  })
  .meta({ id: 'Permission' })

export const Explanation = z
  .object({
    allowed: z.boolean(),
    roles: z
      .array(z.object({ id: z.uuid(), name: z.string() }))
      .describe('The roles through which; empty when it is not allowed.'),
    reason: z
      .enum(['held', 'not_held', 'inactive', 'not_open_yet'])
      .describe(
        '`not_held`: no role gives it. `inactive`: the membership is. `not_open_yet`: the address of the account is not proven.',
      ),
  })
  .meta({ id: 'Explanation' })
export type Explanation = z.output<typeof Explanation>
