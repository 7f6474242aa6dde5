import type { Permission, Resource } from '../../../access/permissions.ts'

/** What a role editor shows in one language. What is missing or left over is a type error. */
export interface Texts {
  permissions: Record<Permission, string>
  /** What permissions are grouped by. */
  groups: Record<Resource, string>
}
