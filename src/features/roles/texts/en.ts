import type { Texts } from './texts.ts'

export const en: Texts = {
  permissions: {
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
  },
  groups: {
    companies: 'Company',
    users: 'People',
    branches: 'Branches',
    roles: 'Roles and permissions',
    permissions: 'Roles and permissions',
    audit: 'Audit',
  },
}
