import type { Texts } from './texts.ts'

export const en: Texts = {
  permissions: {
    'companies:update': 'Edit the company’s name and settings',
    'companies:delete': 'Delete the company',
    'users:read': 'View members',
    'users:create': 'Add members',
    'users:update': 'Edit members and reset their passwords',
    'users:delete': 'Remove members',
    'branches:read': 'View branches',
    'branches:create': 'Add branches',
    'branches:update': 'Edit and move branches',
    'branches:delete': 'Delete branches',
    'roles:read': 'View roles',
    'roles:create': 'Create roles',
    'roles:update': 'Edit roles',
    'roles:delete': 'Delete roles',
    'permissions:read': 'View the list of permissions',
    'audit:read': 'View the audit log',
  },
  groups: {
    companies: 'Company',
    users: 'Members',
    branches: 'Branches',
    roles: 'Roles and permissions',
    permissions: 'Roles and permissions',
    audit: 'Audit log',
  },
}
