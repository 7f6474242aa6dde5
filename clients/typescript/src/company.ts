import { createAudit } from './audit.ts'
import type { Core } from './core.ts'
import { createDomains, createJoinRequests } from './domains.ts'
import { createInvitationLinks, createInvitations } from './invitations.ts'
import { createMembers } from './members.ts'
import { thenReload } from './reload.ts'
import { createRoles, type DryRunOptions, queryOf } from './roles.ts'
import { createRoutes, type Routes } from './routes.ts'
import type { paths } from './schema.ts'
import type { Session } from './session.ts'
import type { BodyOf, EditOptions, PermissionName } from './types.ts'

const PATH = '/api/companies/{id}'
const TRANSFER = `${PATH}/ownership-transfer` as const
const BRANCHES = '/api/companies/branches'
const BRANCH = `${BRANCHES}/{branchId}` as const
const POLICY = '/api/companies/policy'

export type CompanyScope = ReturnType<typeof createCompany>

/** One company: every call acts in it. */
export function createCompany(core: Core, session: Session, id: string) {
  const own = createRoutes(core, { path: { id } })
  const inside = createRoutes(core, { company: id, path: { id } })
  const update = own.editing(PATH)
  const remove = thenReload(session, own.removing(PATH))
  return {
    id,
    get: own.plain('get', PATH),
    /** Takes it off the companies that the account has not opened, as any first request there does. */
    open: thenReload(session, own.plain('get', PATH)),
    update: (body: BodyOf<paths[typeof PATH]['patch']>, options?: EditOptions) => update(id, body, options),
    /** It can be restored for 30 days. */
    delete: (options?: EditOptions) => remove(id, options),
    restore: thenReload(session, own.plain('post', `${PATH}/restore`)),
    leave: thenReload(session, own.plain('post', `${PATH}/leave`)),
    transfer: createTransfer(own, session),
    members: createMembers(inside),
    invitations: createInvitations(inside),
    invitationLinks: createInvitationLinks(inside),
    roles: createRoles(core, inside, id),
    branches: createBranches(inside),
    domains: createDomains(inside),
    joinRequests: createJoinRequests(inside),
    audit: createAudit(core, inside, id),
    policy: createPolicy(inside),

    /** What the account may do here, as it was last read. Show by it; the service decides anew at every request. */
    get permissions(): readonly PermissionName[] {
      const state = session.state.get()
      const isShown = state.status === 'signed_in' && Object.hasOwn(state.permissions, id)
      return (isShown ? state.permissions[id] : []) as PermissionName[]
    },
    can(permission: PermissionName): boolean {
      return this.permissions.includes(permission)
    },
    /** Every permission there is, with texts in the language of the client. */
    listPermissions: inside.plain('get', '/api/companies/permissions'),
    /** Why a member has a permission, or has not. */
    explainPermission: inside.asking('/api/companies/permissions/explain'),
  }
}

function createTransfer(own: Routes, session: Session) {
  return {
    /** The offer that waits for an answer; `transfer_not_found` without one. */
    get: own.plain('get', TRANSFER),
    /** The same as a list, which is empty without one. */
    list: own.plain('get', `${TRANSFER}s`),
    offer: own.sending('post', TRANSFER),
    cancel: own.plain('delete', TRANSFER),
    accept: thenReload(session, own.sending('post', `${TRANSFER}/accept`)),
    decline: own.plain('post', `${TRANSFER}/decline`),
  }
}

function createPolicy(inside: Routes) {
  const update = inside.editing(POLICY)
  return {
    get: inside.plain('get', POLICY),
    /** `dryRun` tells whom the policy would keep out, and changes nothing. */
    update: (body: BodyOf<paths[typeof POLICY]['patch']>, { dryRun, ...options }: DryRunOptions = {}) =>
      update('', body, { query: queryOf(dryRun), ...options }),
    /** Members whom the policy keeps out, and those who lack what it asks for. */
    compliance: inside.lists(`${POLICY}/compliance`),
  }
}

function createBranches(inside: Routes) {
  return {
    /** With `tree: 'true'` the items are the top, each with what is below it in `children`. */
    ...inside.lists(BRANCHES),
    get: inside.one('get', BRANCH),
    create: inside.sending('post', BRANCHES),
    /** Another `parentId` moves it, with everything below it. */
    update: inside.editing(BRANCH),
    delete: inside.removing(BRANCH),
  }
}
