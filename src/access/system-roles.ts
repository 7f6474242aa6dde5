import { type Permission, permissions } from './permissions.ts'

export type SystemRoleKey = 'owner' | 'admin' | 'manager' | 'member'

/**
 * The roles that every company has from the start. They can’t be changed or deleted. Each company gets rows of its own when it
 * is created: another permission here reaches existing companies by a migration only.
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
    permissions: permissions.filter((permission) => permission !== 'companies:delete'),
  },
  {
    key: 'manager',
    name: 'Manager',
    description: 'Can view everything, add and edit members, and manage branches.',
    permissions: permissions.filter(
      (permission) =>
        permission.endsWith(':read') ||
        permission.startsWith('branches:') ||
        permission === 'users:create' ||
        permission === 'users:update',
    ),
  },
  {
    key: 'member',
    name: 'Member',
    description: 'Can view members, branches, and roles.',
    permissions: ['users:read', 'branches:read', 'roles:read', 'permissions:read'],
  },
]
