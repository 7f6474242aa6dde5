/**
 * The catalogue: everything that a role can allow in a company. src/features/roles/texts/ describes each permission.
 */
export const permissions = [
  'companies:update',
  'companies:delete',
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
] as const satisfies `${string}:${string}`[]

export type Permission = (typeof permissions)[number]

/** What comes before the colon. */
export type Resource = Permission extends `${infer Name}:${string}` ? Name : never

export type SystemRoleKey = 'owner' | 'admin' | 'manager' | 'member'

/** The roles that every company has from the start. They can’t be changed or deleted. */
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
