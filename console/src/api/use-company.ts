import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { CompanySummary } from '@tenantry/client'
import { inCompany } from './queries.ts'
import { type CompanyScope, tenantry, useCan, useSignedIn } from './tenantry.ts'

interface CurrentCompany {
  id: string
  /** Name, slug and status; the whole company is a query of its own. */
  summary: CompanySummary | undefined
  /** Others have added the account, and nothing may be read here before the person wants it: that would open the company. */
  isUnopened: boolean
  /** The code with which its policy keeps this session out; undefined: it does not. */
  closedBy: string | undefined
  /** Calls that act in this company. */
  scope: CompanyScope
  can: ReturnType<typeof useCan>
  /** Names of the caller's roles here. */
  roles: readonly string[]
  /** Addresses of this company's pages: `path('members')`. */
  path: (page?: string) => string
}

/** The company in the address: two tabs can show two of them. */
export function useCompany(): CurrentCompany {
  const { companyId = '' } = useParams({ strict: false })
  const { companies, roles, access, unopened } = useSignedIn()
  return {
    id: companyId,
    summary: companies.find(({ id }) => id === companyId),
    isUnopened: unopened.includes(companyId),
    closedBy: closedIn(access, companyId),
    scope: tenantry.company(companyId),
    can: useCan(companyId),
    roles: roles[companyId] ?? [],
    path: (page) => (page ? `/c/${companyId}/${page}` : `/c/${companyId}`),
  }
}

/** An older service says nothing of it. */
export function closedIn(access: Readonly<Record<string, string>>, companyId: string): string | undefined {
  const code = access[companyId] ?? 'open'
  return code === 'open' ? undefined : code
}

/** Reads something of the company in the address: `useCompanyQuery(['members', filters], (scope) => scope.members.page(filters))`. */
export function useCompanyQuery<Data>(
  key: readonly unknown[],
  read: (scope: CompanyScope, options: { signal: AbortSignal }) => Promise<Data>,
  options: { enabled?: boolean; staleTime?: number } = {},
): UseQueryResult<Data> {
  const { id, scope } = useCompany()
  return useQuery({
    queryKey: inCompany(id, ...key),
    queryFn: ({ signal }) => read(scope, { signal }),
    ...options,
    // What was there before may be of another company.
    placeholderData: (before, query) => (query?.queryKey[1] === id ? before : undefined),
  })
}

/** After a write: everything of this company is read anew where it is shown. */
export function useRefreshCompany(): () => Promise<void> {
  const { id } = useCompany()
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: inCompany(id) })
}
