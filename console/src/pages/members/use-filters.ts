import { useNavigate, useSearch } from '@tanstack/react-router'
import type { Sorting } from '../../ui/Table.tsx'

const SORTS = ['name', 'email', 'created_at', 'status'] as const
const STATUSES = ['active', 'inactive'] as const
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const SEARCH_MAX = 254
type Direction = 'asc' | 'desc'
export const LIMIT = 20

type SortBy = (typeof SORTS)[number]
type Status = (typeof STATUSES)[number]

/** What the address of the list says. Anything in it that means nothing is left out. */
export interface MemberFilters {
  page?: number
  search?: string
  status?: Status
  roleId?: string
  branchId?: string
  sortBy?: SortBy
  sortDir?: Direction
}

export function useMemberFilters() {
  const search = useSearch({ from: '/signed-in/c/$companyId/members' })
  const filters = readFilters(search)
  const navigate = useNavigate({ from: '/c/$companyId/members' })
  const go = (next: MemberFilters, { replace = false } = {}) =>
    void navigate({ search: written(next), replace, resetScroll: false })
  const { page = 1, sortBy = 'name', sortDir = 'asc' as Direction, ...narrowing } = filters
  return {
    filters,
    query: { ...narrowing, page, limit: LIMIT, sortBy, sortDir },
    sorting: { by: sortBy, direction: sortDir } satisfies Sorting,
    isNarrowed: Object.keys(narrowing).length > 0,
    /** Other filters begin at the first page. Words that are typed make no step for Back. */
    change: ({ page: _, ...next }: Changes, options?: { replace: boolean }) =>
      go({ ...without(filters), ...next } as MemberFilters, options),
    toPage: (to: number) => go({ ...filters, page: to }),
    sort: ({ by, direction }: Sorting) => go({ ...without(filters), ...sortingOf(by, direction) }),
    clear: () => go({}),
    /** A link that leads here to add someone, such as to a role: the dialog opens, and its address does not keep that. */
    isAddWanted: search.add === '1',
    forgetAdd: () => go(filters, { replace: true }),
  }
}

type Changes = { [Key in keyof MemberFilters]?: MemberFilters[Key] | undefined }

const without = ({ page: _, ...rest }: MemberFilters): MemberFilters => rest

function sortingOf(by: string, direction: 'asc' | 'desc'): Changes {
  return { sortBy: by === 'name' ? undefined : (by as SortBy), sortDir: direction === 'desc' ? 'desc' : undefined }
}

function readFilters(search: Record<string, string>): MemberFilters {
  const page = Number(search.page)
  return present({
    page: Number.isInteger(page) && page > 1 && page < 1e8 ? page : undefined,
    search: search.search?.trim().slice(0, SEARCH_MAX) || undefined,
    status: STATUSES.find((each) => each === search.status),
    roleId: UUID.test(search.roleId ?? '') ? search.roleId : undefined,
    branchId: UUID.test(search.branchId ?? '') ? search.branchId : undefined,
    sortBy: SORTS.find((each) => each === search.sortBy),
    sortDir: search.sortDir === 'desc' ? 'desc' : undefined,
  })
}

const written = (filters: Changes): Record<string, string> =>
  Object.fromEntries(Object.entries(present(filters)).map(([key, value]) => [key, String(value)]))

const present = (filters: Changes): MemberFilters =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined))
