import { createAudit } from './audit.ts'
import { createBranches } from './branches.ts'
import type { Core } from './core.ts'
import { createMembers } from './members.ts'
import { createRoles } from './roles.ts'
import type { paths } from './schema.ts'
import type { Session } from './session.ts'
import type { BodyOf, CallOptions, Company, EditOptions, PermissionName, QueryOf, Versioned } from './types.ts'

type Body<P extends keyof paths, V extends 'post' | 'patch'> = BodyOf<paths[P][V]>
const PATH = '/api/companies/{id}'

export type CompanyScope = ReturnType<typeof createCompany>

/** One company: every call acts in it. */
export function createCompany(core: Core, session: Session, id: string) {
  const company = id
  const path = { id }
  return {
    id,
    get: (options?: CallOptions) => core.call('get', PATH, { path, ...options }) as Promise<Versioned<Company>>,
    update: (body: Body<typeof PATH, 'patch'>, options?: EditOptions) =>
      core.call('patch', PATH, { path, body, ...options }) as Promise<Versioned<Company>>,
    /** It can be restored for 30 days. */
    delete: (options?: EditOptions) => reloaded(core.call('delete', PATH, { path, ...options })),
    restore: (options?: CallOptions) => reloaded(core.call('post', `${PATH}/restore`, { path, ...options })),
    leave: (options?: CallOptions) => reloaded(core.call('post', `${PATH}/leave`, { path, ...options })),
    transfer: createTransfer(core, id, reloaded),
    members: createMembers(core, company),
    roles: createRoles(core, company),
    branches: createBranches(core, company),
    audit: createAudit(core, company),

    /** What the account may do here, as it was last read. Show by it; the service decides anew at every request. */
    get permissions(): readonly PermissionName[] {
      const state = session.state.get()
      return (state.status === 'signed_in' ? (state.permissions[id] ?? []) : []) as PermissionName[]
    },
    can(permission: PermissionName): boolean {
      return this.permissions.includes(permission)
    },
    /** Every permission there is, with texts in the language of the client. */
    listPermissions: (options?: CallOptions) => core.call('get', '/api/companies/permissions', { company, ...options }),
    /** Why a member has a permission, or has not. */
    explainPermission: (query: QueryOf<paths['/api/companies/permissions/explain']['get']>, options?: CallOptions) =>
      core.call('get', '/api/companies/permissions/explain', { company, query, ...options }),
  }

  /** What changes the permissions of the account itself. */
  async function reloaded<Result>(change: Promise<Result>): Promise<Result> {
    const result = await change
    await session.reload().catch(() => {})
    return result
  }
}

function createTransfer(core: Core, id: string, reloaded: <Result>(change: Promise<Result>) => Promise<Result>) {
  const path = { id }
  return {
    /** The offer that waits for an answer; `transfer_not_found` without one. */
    get: (options?: CallOptions) => core.call('get', `${PATH}/ownership-transfer`, { path, ...options }),
    offer: (body: Body<'/api/companies/{id}/ownership-transfer', 'post'>, options?: CallOptions) =>
      core.call('post', `${PATH}/ownership-transfer`, { path, body, ...options }),
    cancel: (options?: CallOptions) => core.call('delete', `${PATH}/ownership-transfer`, { path, ...options }),
    accept: (body: Body<'/api/companies/{id}/ownership-transfer/accept', 'post'>, options?: CallOptions) =>
      reloaded(core.call('post', `${PATH}/ownership-transfer/accept`, { path, body, ...options })),
    decline: (options?: CallOptions) => core.call('post', `${PATH}/ownership-transfer/decline`, { path, ...options }),
  }
}
