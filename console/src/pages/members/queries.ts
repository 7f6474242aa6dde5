import { useQueryClient } from '@tanstack/react-query'
import type { Member, Role, Versioned } from '@tenantry/client'
import { isProblem } from '../../api/problems.ts'
import { inCompany } from '../../api/queries.ts'
import { type CompanyScope, useSignedIn } from '../../api/tenantry.ts'
import { useCompany, useCompanyQuery } from '../../api/use-company.ts'
import type { MemberFilters } from './use-filters.ts'

export type CurrentMember = Versioned<Member>
type MemberPage = Parameters<CompanyScope['members']['page']>[0]
const LISTED_MAX = 100

export const useMembers = (query: MemberFilters & MemberPage) =>
  useCompanyQuery(['members', query], (scope, options) => scope.members.page(query, options))

/** An address that names no id at all is refused as invalid. */
const MISSING: string[] = ['member_not_found', 'validation_failed']

/** Null: there is no such member. */
export const useMember = (memberId: string) =>
  useCompanyQuery(['member', memberId], (scope, options) =>
    scope.members.get(memberId, options).catch((error: unknown) => {
      if (isProblem(error) && MISSING.includes(error.code)) return null
      throw error
    }),
  )

/** `search` is for companies with more than a picker lists. */
export const useRoles = (enabled: boolean, search = '') =>
  useCompanyQuery(
    ['roles', 'choices', search],
    (scope, options) => scope.roles.page({ limit: LISTED_MAX, ...(search && { search }) }, options),
    { enabled },
  )

export const useBranches = (enabled: boolean, search = '') =>
  useCompanyQuery(
    ['branches', 'choices', search],
    (scope, options) => scope.branches.page({ limit: LISTED_MAX, ...(search && { search }) }, options),
    { enabled },
  )

/** One that a list has not, because it has more. */
export const useRoleName = (id: string, enabled: boolean) =>
  useCompanyQuery(['role', id], (scope, options) => scope.roles.get(id, options), { enabled })
export const useBranchName = (id: string, enabled: boolean) =>
  useCompanyQuery(['branch', id], (scope, options) => scope.branches.get(id, options), { enabled })

/**
 * What an edit answered is what is shown; all else of the company is read again when someone looks at it. So an edit is one
 * call.
 */
export function useShowMember() {
  const { id } = useCompany()
  const client = useQueryClient()
  return (memberId: string, member: CurrentMember | null) => {
    void client.invalidateQueries({ queryKey: inCompany(id), refetchType: 'none' })
    client.setQueryData(inCompany(id, 'member', memberId), member)
  }
}

/** After what changes a member without answering with it, or when someone else was faster. */
export function useReadMemberAgain() {
  const { id } = useCompany()
  const client = useQueryClient()
  return (memberId: string) => client.invalidateQueries({ queryKey: inCompany(id, 'member', memberId) })
}

/** The names of built-in roles are those of each company. */
export const OWNER_ROLE = 'Owner'
export const DEFAULT_ROLE = 'Member'

/** What a new member gets unless something else is chosen; undefined while it is read. */
export function useUsualRoles() {
  const isReadable = useCompany().can('roles:read')
  const { data, error, refetch } = useRoles(isReadable)
  const usual = data?.items.filter(({ isSystem, name }) => isSystem && name === DEFAULT_ROLE).map(({ id }) => id)
  return { roleIds: isReadable ? usual : [], error, refetch }
}

/** What the caller may give and whom the caller may change. The service decides by the same rule. */
export function useAuthority() {
  const { id, roles: own } = useCompany()
  const permissions = useSignedIn().permissions[id] ?? []
  const isOwner = own.includes(OWNER_ROLE)
  return {
    isOwner,
    own,
    /** Permissions of the role that the caller lacks. */
    lackingIn: (role: Role) => role.permissions.filter((each) => !permissions.includes(each)),
    isOwnerRole: (role: Role) => role.isSystem && role.name === OWNER_ROLE,
  }
}

/**
 * Whether the caller may change the member at all: only who has nothing that the caller lacks. Undefined: not known. Mostly the
 * names of the roles are enough; otherwise the roles are read, which is a call more.
 */
export function useCanChange(member: Member): { canChange: boolean | undefined; isCostly: boolean } {
  const { can } = useCompany()
  const { isOwner, own, lackingIn } = useAuthority()
  const isWeaker = isOwner || member.roles.every((name) => own.includes(name))
  const isStronger = !isWeaker && member.roles.includes(OWNER_ROLE)
  const isCostly = !isWeaker && !isStronger && can('roles:read') && (can('users:update') || can('users:delete'))
  const held = useRoles(isCostly).data?.items.filter(({ id }) => member.roleIds.includes(id))
  if (isWeaker || isStronger) return { canChange: isWeaker, isCostly }
  return { canChange: held?.every((role) => lackingIn(role).length === 0), isCostly }
}
