import { z } from 'zod'
import type { Deps } from '../../deps.ts'
import type { Api } from '../../http/routes.ts'
import { Member } from '../members/schemas.ts'
import { catalogueIn } from './catalogue.ts'
import { deleteRole } from './delete-role.ts'
import { createRole, updateRole } from './edit-role.ts'
import { explainPermission } from './explain-permission.ts'
import { listRoleMembers } from './role-members.ts'
import { getRole, listRoles } from './roles.ts'
import {
  ChangeQuery,
  DeletedRole,
  DeleteQuery,
  ExplainQuery,
  Explanation,
  HoldersQuery,
  NewRole,
  OneRole,
  Permission,
  Role,
  RoleQuery,
  RoleUpdate,
  UpdatedRole,
} from './schemas.ts'

const isDryRun = ({ query }: { query: { dryRun?: 'true' | 'false' | undefined } }) => query.dryRun === 'true'

export function roles(api: Api, { config }: Deps): void {
  api.list(
    '/companies/roles',
    {
      access: { company: 'roles:read' },
      action: 'roles.list',
      docs: {
        operationId: 'listRoles',
        summary: 'List roles',
        description: 'Built-in roles and the company’s own roles.',
      },
      request: { query: RoleQuery },
      response: { data: Role },
    },
    ({ tx, query }) => listRoles(tx, query),
  )

  api.post(
    '/companies/roles',
    {
      access: { company: 'roles:create' },
      action: 'roles.create',
      docs: {
        operationId: 'createRole',
        summary: 'Create a role',
        description: 'It can’t include permissions that you don’t have.',
      },
      request: { body: NewRole },
      response: {
        data: Role,
        status: 201,
        message: 'Role created.',
      },
      problems: ['grant_exceeds_permissions', 'role_name_taken', 'role_limit_reached'],
    },
    ({ tx, actor, body }) => createRole(tx, actor, body),
  )

  api.get(
    '/companies/roles/:roleId',
    {
      access: { company: 'roles:read' },
      action: 'roles.get',
      docs: {
        operationId: 'getRole',
        summary: 'Get a role',
      },
      request: { params: OneRole },
      response: { data: Role },
      version: { etag: true },
      problems: ['role_not_found'],
    },
    ({ tx, params }) => getRole(tx, params.roleId),
  )

  api.patch(
    '/companies/roles/:roleId',
    {
      access: { company: 'roles:update' },
      action: 'roles.update',
      docs: {
        operationId: 'updateRole',
        summary: 'Update a role',
        description:
          'Affects every member who has it. Rejected if it would add a permission you don’t have, or change one you don’t have for a member above you. With `dryRun=true`, returns the resulting role and who would gain or lose permissions, and changes nothing.',
      },
      request: {
        params: OneRole,
        query: ChangeQuery,
        body: RoleUpdate,
      },
      response: {
        data: UpdatedRole,
        message: ({ impact }) => (impact ? 'Dry run: nothing was changed.' : 'Role saved.'),
      },
      version: {
        etag: ({ impact }) => !impact,
        current: ({ tx, params }) => getRole(tx, params.roleId),
      },
      isDryRun,
      problems: [
        'reauthentication_required',
        'target_exceeds_permissions',
        'grant_exceeds_permissions',
        'role_not_found',
        'role_name_taken',
        'version_mismatch',
        'system_role',
      ],
    },
    ({ tx, actor, params, query, body }) => updateRole(tx, actor, params.roleId, body, { dryRun: isDryRun({ query }) }),
  )

  api.delete(
    '/companies/roles/:roleId',
    {
      access: { company: 'roles:delete' },
      action: 'roles.delete',
      vouches: true,
      docs: {
        operationId: 'deleteRole',
        summary: 'Delete a role',
        description:
          'If members have it, or pending invitations, links or domains give it, `reassignTo` is required: they all get that role instead; where it gives more, invitations and links of other members, and domains, give Member. With `dryRun=true`, returns who would gain or lose permissions, and changes nothing.',
      },
      request: { params: OneRole, query: DeleteQuery },
      response: {
        data: DeletedRole,
        message: ({ impact }) => (impact ? 'Dry run: nothing was changed.' : 'Role deleted.'),
      },
      version: { current: ({ tx, params }) => getRole(tx, params.roleId) },
      isDryRun,
      problems: [
        'reauthentication_required',
        'target_exceeds_permissions',
        'grant_exceeds_permissions',
        'role_not_found',
        'role_in_use',
        'version_mismatch',
        'system_role',
        'role_unknown',
        'role_reassigned_to_itself',
        'policy_locks_all_owners',
      ],
    },
    ({ tx, actor, params, query }) =>
      deleteRole(tx, actor, config, params.roleId, { reassignTo: query.reassignTo, dryRun: isDryRun({ query }) }),
  )

  api.list(
    '/companies/roles/:roleId/members',
    {
      access: { company: 'roles:read' },
      action: 'roles.list_members',
      docs: {
        operationId: 'listRoleMembers',
        summary: 'List members with a role',
        description: 'Also needs `users:read`.',
      },
      request: { params: OneRole, query: HoldersQuery },
      response: { data: Member },
      problems: ['role_not_found'],
    },
    async ({ tx, actor, params, query }) => listRoleMembers(tx, await actor(), params.roleId, query),
  )

  api.get(
    '/companies/permissions',
    {
      access: { company: 'permissions:read' },
      action: 'permissions.list',
      docs: {
        operationId: 'listPermissions',
        summary: 'List permissions',
        description:
          'All permissions that a role can include; the same for every company. In English, Spanish, or Portuguese, depending on `Accept-Language`.',
      },
      response: {
        data: z.array(Permission),
        localized: true,
      },
    },
    async ({ language }) => catalogueIn(language),
  )

  api.get(
    '/companies/permissions/explain',
    {
      access: { company: 'permissions:read' },
      action: 'permissions.explain',
      docs: {
        operationId: 'explainPermission',
        summary: 'Explain a member’s permission',
        description:
          'Lists the roles that give a member this permission. For other members, also needs `users:read`. A member who is inactive, or hasn’t confirmed their email address yet, has no permissions.',
      },
      request: { query: ExplainQuery },
      response: { data: Explanation },
      problems: ['member_not_found'],
    },
    async ({ tx, actor, query }) => explainPermission(tx, await actor(), query),
  )
}
