import type { Core } from './core.ts'
import { createRoutes, type Routes } from './routes.ts'
import type { paths } from './schema.ts'
import type { CallOptions, Edited, EditOptions, QueryOf, Schemas } from './types.ts'

const PATH = '/api/companies/roles'
const ONE = `${PATH}/{roleId}` as const
const MEMBERS = `${ONE}/members` as const
type MembersQuery = QueryOf<paths[typeof MEMBERS]['get']>

export interface DryRunOptions extends EditOptions {
  /** Changes nothing: `impact` says who would gain and lose what. */
  dryRun?: boolean
}

export function createRoles(core: Core, inside: Routes, company: string) {
  const edit = inside.editing(ONE)
  const remove = inside.removing(ONE)
  const membersOf = (roleId: string) => createRoutes(core, { company, path: { roleId } }).lists(MEMBERS)
  return {
    ...inside.lists(PATH),
    get: inside.one('get', ONE),
    create: inside.sending('post', PATH),
    update: (role: Edited, body: Schemas['RoleUpdate'], { dryRun, ...options }: DryRunOptions = {}) =>
      edit(role, body, { query: queryOf(dryRun), ...options }),
    /** A role that members have needs `reassignTo`, the id of the role that they get instead. */
    delete: (role: Edited, { dryRun, reassignTo, ...options }: DryRunOptions & { reassignTo?: string } = {}) =>
      remove(role, { query: { ...queryOf(dryRun), ...(reassignTo && { reassignTo }) }, ...options }),
    members: (roleId: string, query?: Omit<MembersQuery, 'page'>, options?: CallOptions) =>
      membersOf(roleId).list(query, options),
    membersPage: (roleId: string, query?: MembersQuery, options?: CallOptions) =>
      membersOf(roleId).page(query, options),
  }
}

export const queryOf = (dryRun: boolean | undefined): { dryRun?: 'true' } => (dryRun ? { dryRun: 'true' } : {})
