/** The catalogue: everything that can be allowed in a company, as `<resource>:<action>`, and what that means. */
const descriptions = {
  'companies:update': 'Change the name and settings of the company',
  'companies:delete': 'Close the company',
  'users:read': 'See the members',
  'users:create': 'Add members',
  'users:update': 'Change members and reset their passwords',
  'users:delete': 'Detach members',
  'branches:read': 'See the branches',
  'branches:create': 'Add branches',
  'branches:update': 'Change and move branches',
  'branches:delete': 'Delete branches',
  'roles:read': 'See the roles',
  'roles:create': 'Add roles',
  'roles:update': 'Change roles',
  'roles:delete': 'Delete roles',
  'permissions:read': 'See the catalogue of permissions',
  'audit:read': 'Read what was done and refused',
} as const

export type Permission = keyof typeof descriptions

const permissions = Object.keys(descriptions) as Permission[]

/** What a role editor groups permissions by. */
const groups: Record<string, string> = {
  companies: 'Company',
  users: 'People',
  branches: 'Branches',
  roles: 'Roles and permissions',
  permissions: 'Roles and permissions',
  audit: 'Audit',
}

export const catalogue = permissions.map((name) => {
  const [resource = '', action = ''] = name.split(':')
  return { name, resource, action, description: descriptions[name], group: groups[resource] as string }
})

export type SystemRoleKey = 'owner' | 'admin' | 'manager' | 'member'

/** The roles that every company has from its first moment. Nobody can change or delete them. */
export const systemRoles: readonly {
  key: SystemRoleKey
  name: string
  description: string
  permissions: readonly Permission[]
}[] = [
  { key: 'owner', name: 'Owner', description: 'Everything, the end of the company included.', permissions },
  {
    key: 'admin',
    name: 'Admin',
    description: 'Everything but deleting the company.',
    permissions: permissions.filter((permission) => permission !== 'companies:delete'),
  },
  {
    key: 'manager',
    name: 'Manager',
    description: 'Reads everything, adds and edits people, runs the branches.',
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
    description: 'Sees people, branches and roles.',
    permissions: ['users:read', 'branches:read', 'roles:read', 'permissions:read'],
  },
]
