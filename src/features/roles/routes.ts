import { z } from 'zod'
import type { Api } from '../../http/routes.ts'
import { Member } from '../members/schemas.ts'
import { catalogueIn } from './catalogue.ts'
import { deleteRole } from './delete-role.ts'
import { createRole, updateRole } from './edit-role.ts'
import { explain } from './explain-permission.ts'
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

export function roles(api: Api): void {
  api.list(
    '/companies/roles',
    {
      access: { company: 'roles:read' },
      action: 'roles.list',
      docs: {
        operationId: 'listRoles',
        summary: 'The roles of the company',
        description: 'Those that every company has, and those that this one made.',
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
        summary: 'Make a role',
        description: 'It can give nothing that the caller does not hold.',
      },
      request: { body: NewRole },
      response: {
        data: Role,
        status: 201,
        message: 'The role is made.',
      },
      problems: ['grant_exceeds_permissions', 'role_name_taken'],
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
        summary: 'One role',
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
        summary: 'Change a role',
        description:
          'Changes it for every member who holds it. Refused where it would give, or change for somebody above the caller, what the caller does not hold. With `dryRun=true` the answer is the role as it would be, and who would gain and lose what; nothing is changed.',
      },
      request: {
        params: OneRole,
        query: ChangeQuery,
        body: RoleUpdate,
      },
      response: {
        data: UpdatedRole,
        message: ({ impact }) => (impact ? 'Nothing was changed.' : 'The role is saved.'),
      },
      version: {
        etag: ({ impact }) => !impact,
        current: ({ tx, params }) => getRole(tx, params.roleId),
      },
      problems: [
        'target_exceeds_permissions',
        'grant_exceeds_permissions',
        'role_not_found',
        'role_name_taken',
        'version_mismatch',
        'system_role',
      ],
    },
    ({ tx, actor, params, query, body }) =>
      updateRole(tx, actor, params.roleId, body, { dryRun: query.dryRun === 'true' }),
  )

  api.delete(
    '/companies/roles/:roleId',
    {
      access: { company: 'roles:delete' },
      action: 'roles.delete',
      docs: {
        operationId: 'deleteRole',
        summary: 'Delete a role',
        description:
          'One that members hold is deleted only with `reassignTo`, which they all get instead. With `dryRun=true` the answer tells who would gain and lose what; nothing is changed.',
      },
      request: { params: OneRole, query: DeleteQuery },
      response: {
        data: DeletedRole,
        message: ({ impact }) => (impact ? 'Nothing was changed.' : 'The role is deleted.'),
      },
      version: { current: ({ tx, params }) => getRole(tx, params.roleId) },
      problems: [
        'target_exceeds_permissions',
        'grant_exceeds_permissions',
        'role_not_found',
        'role_in_use',
        'version_mismatch',
        'system_role',
        'role_unknown',
        'role_reassigned_to_itself',
      ],
    },
    ({ tx, actor, params, query: { reassignTo, dryRun } }) =>
      deleteRole(tx, actor, params.roleId, { reassignTo, dryRun: dryRun === 'true' }),
  )

  api.list(
    '/companies/roles/:roleId/members',
    {
      access: { company: 'roles:read' },
      action: 'roles.list_members',
      docs: {
        operationId: 'listRoleMembers',
        summary: 'The members who hold a role',
        description: 'Asks for `users:read` too.',
      },
      request: { params: OneRole, query: HoldersQuery },
      response: { data: Member },
      problems: ['role_not_found'],
    },
    ({ tx, actor, params, query }) => listRoleMembers(tx, actor, params.roleId, query),
  )

  api.get(
    '/companies/permissions',
    {
      access: { company: 'permissions:read' },
      action: 'permissions.list',
      docs: {
        operationId: 'listPermissions',
        summary: 'The catalogue of permissions',
        description:
          'Everything that a role can give; the same in every company. In English, Spanish or Portuguese, by `Accept-Language`.',
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
        summary: 'Through which roles a member may do something',
        description:
          'About others it asks for `users:read` too. A member who is inactive, or to whom the company is not open yet, is allowed nothing, through no role.',
      },
      request: { query: ExplainQuery },
      response: { data: Explanation },
      problems: ['member_not_found'],
    },
    ({ tx, actor, query }) => explain(tx, actor, query),
  )
}
