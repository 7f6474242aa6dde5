import { type Core, lists } from './core.ts'
import { type Edited, editOf } from './edits.ts'
import type { paths } from './schema.ts'
import type { CallOptions, EditOptions, QueryOf, Role, Schemas, Versioned } from './types.ts'

const PATH = '/api/companies/roles'
const ONE = `${PATH}/{roleId}` as const
type MembersQuery = QueryOf<paths['/api/companies/roles/{roleId}/members']['get']>

export function createRoles(core: Core, company: string) {
  const membersOf = (roleId: string) => lists(core, `${ONE}/members`, { company, path: { roleId } })

  /** With `dryRun` nothing is changed: `impact` says who would gain and lose what. */
  function update(role: Edited, body: Schemas['RoleUpdate'], options: EditOptions & { dryRun?: boolean } = {}) {
    const { id: roleId, ifMatch } = editOf(role)
    const { dryRun, ...rest } = options
    const query = dryRun ? ({ dryRun: 'true' } as const) : undefined
    return core.call('patch', ONE, { company, path: { roleId }, body, query, ifMatch, ...rest }) as Promise<
      Versioned<Schemas['UpdatedRole']>
    >
  }

  /** A role that members have needs `reassignTo`, the id of the role that they get instead. */
  function remove(role: Edited, options: EditOptions & { dryRun?: boolean; reassignTo?: string } = {}) {
    const { id: roleId, ifMatch } = editOf(role)
    const { dryRun, reassignTo, ...rest } = options
    const query = { ...(dryRun && { dryRun: 'true' as const }), ...(reassignTo && { reassignTo }) }
    return core.call('delete', ONE, { company, path: { roleId }, query, ifMatch, ...rest })
  }

  return {
    ...lists(core, PATH, { company }),
    get: (roleId: string, options?: CallOptions) =>
      core.call('get', ONE, { company, path: { roleId }, ...options }) as Promise<Versioned<Role>>,
    create: (body: Schemas['NewRole'], options?: CallOptions) => core.call('post', PATH, { company, body, ...options }),
    update,
    remove,
    members: (roleId: string, query?: Omit<MembersQuery, 'page'>, options?: CallOptions) =>
      membersOf(roleId).list(query, options),
    membersPage: (roleId: string, query?: MembersQuery, options?: CallOptions) =>
      membersOf(roleId).page(query, options),
  }
}
