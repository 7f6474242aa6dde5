import { useQuery } from '@tanstack/react-query'
import { ofAccount } from '../../api/queries.ts'
import { tenantry } from '../../api/tenantry.ts'

const FRESH_MS = 5 * 60_000

/** Pending ones, and none while the address is not verified. */
export const useOwnInvitations = (enabled: boolean) =>
  useQuery({
    queryKey: ofAccount('invitations'),
    queryFn: ({ signal }) => tenantry.account.invitations.list({ signal }),
    staleTime: FRESH_MS,
    enabled,
  })

export const useJoinableCompanies = (enabled: boolean) =>
  useQuery({
    queryKey: ofAccount('joinable'),
    queryFn: ({ signal }) => tenantry.account.joining.companies({ signal }),
    enabled,
  })
