/** The catalogue: everything that can be allowed in a company. What each means is told by src/features/roles/texts/. */
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

/** What stands before the colon. */
export type Resource = Permission extends `${infer Name}:${string}` ? Name : never

export type SystemRoleKey = 'owner' | 'admin' | 'manager' | 'member'

/** The roles that every company has from its first moment. Nobody can change or delete them. */
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
