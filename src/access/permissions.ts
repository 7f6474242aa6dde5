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
  'policy:read',
  'policy:update',
  'domains:read',
] as const satisfies `${string}:${string}`[]

export type Permission = (typeof permissions)[number]

/** What comes before the colon. */
export type Resource = Permission extends `${infer Name}:${string}` ? Name : never
