import { type Permission, permissions } from './permissions.ts'

export type SystemRoleKey = 'owner' | 'admin' | 'manager' | 'member'

/**
 * The roles that every company has from the start. They can’t be changed or deleted. Each but Owner lists what it gives, so
 * that a new permission reaches none of them by itself. The database keeps the same lists for the rows of all companies, in
 * migrations/functions/system_role_permissions.sql: docs/decisions/0046-permissions-of-system-roles.md.
 */
export const systemRoles: readonly {
  key: SystemRoleKey
  name: string
  description: string
  permissions: readonly Permission[]
}[] = [
  { key: 'owner', name: 'Owner', description: 'Full access, including deleting the company.', permissions },
  {
    key: 'admin',
    name: 'Admin',
    description: 'Full access, except deleting the company.',
    permissions: [
      'companies:update',
      'users:read',
      'users:create',
      'users:update',
      'users:delete',
      'branches:read',
      'branches:create',
      'branches:update',
      'branches:delete',
      'roles:read',
      'roles:create',
      'roles:update',
      'roles:delete',
      'permissions:read',
      'audit:read',
      'policy:read',
      'policy:update',
      'domains:read',
    ],
  },
  {
    key: 'manager',
    name: 'Manager',
    description: 'Can view members, branches, roles, and the audit log, add and edit members, and manage branches.',
    permissions: [
      'users:read',
      'users:create',
      'users:update',
      'branches:read',
      'branches:create',
      'branches:update',
      'branches:delete',
      'roles:read',
      'permissions:read',
      'audit:read',
    ],
  },
  {
    key: 'member',
    name: 'Member',
    description: 'Can view members, branches, and roles.',
    permissions: ['users:read', 'branches:read', 'roles:read', 'permissions:read'],
  },
]
