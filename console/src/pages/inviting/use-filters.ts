import { useNavigate, useSearch } from '@tanstack/react-router'

export const STATUSES = ['pending', 'accepted', 'declined', 'revoked', 'expired'] as const
export type Status = (typeof STATUSES)[number]
export const LIMIT = 20
const SEARCH_MAX = 254

interface Filters {
  status: Status | 'all'
  search: string
  page: number
}

/** What the address of the list says. Pending ones are what people come for. */
export function useInvitationFilters() {
  const found = useSearch({ from: '/signed-in/c/$companyId/members/invitations' })
  const navigate = useNavigate({ from: '/c/$companyId/members/invitations' })
  const page = Number(found.page)
  const filters: Filters = {
    status: [...STATUSES, 'all' as const].find((each) => each === found.status) ?? 'pending',
    search: found.search?.trim().slice(0, SEARCH_MAX) ?? '',
    page: Number.isInteger(page) && page > 1 && page < 1e8 ? page : 1,
  }
  const go = ({ status, search, page }: Filters, { replace = false } = {}) => {
    const search_ = {
      ...(status !== 'pending' && { status }),
      ...(search && { search }),
      ...(page > 1 && { page: String(page) }),
    }
    void navigate({ search: search_, replace, resetScroll: false })
  }
  const { status, search } = filters
  const query = {
    page: filters.page,
    limit: LIMIT,
    ...(status !== 'all' && { status }),
    ...(search && { search }),
    sortBy: 'created_at' as const,
    sortDir: 'desc' as const,
  }
  return {
    filters,
    query,
    change: (changes: Partial<Filters>) => go({ ...filters, page: 1, ...changes }),
    /** A link that leads here to invite someone: the dialog opens, and its address does not keep that. */
    isInviteWanted: found.invite === '1',
    forgetInvite: () => go(filters, { replace: true }),
  }
}
