import { useQuery } from '@tanstack/react-query'
import { tenantry } from '../../api/tenantry.ts'
import { linkTokens } from '../../link-token.ts'

/** Where the link leads that a company hands out and that opened the page; also for the sign-up on the way. */
export const useLinkCompany = (isWanted = true) =>
  useQuery({
    queryKey: ['invitation-link'],
    queryFn: ({ signal }) => tenantry.invitation.previewLink({ token: linkTokens.join }, { signal }),
    select: ({ company }) => company.name,
    staleTime: Number.POSITIVE_INFINITY,
    enabled: isWanted && linkTokens.join !== '',
  })
