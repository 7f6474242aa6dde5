import { keepPreviousData, QueryClient } from '@tanstack/react-query'
import { isPassing, isProblem, secondsToWait } from './problems.ts'

const FRESH_MS = 30_000
const TRIES = 3
const WAIT_MS = 2000

/**
 * What pages have read. Keys begin with the company, so that nothing of one company is ever shown in another, and a write
 * makes everything of its company old: `queries.invalidateQueries({ queryKey: inCompany(companyId) })`.
 */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      // A limit of requests a minute leaves no room for asking again at each look at the window.
      refetchOnWindowFocus: false,
      placeholderData: keepPreviousData,
      retry: (count, error) => count < TRIES && isPassing(error) && !isOver(error),
      retryDelay: (count, error) => secondsToWait(error) * 1000 || WAIT_MS * 2 ** count,
      throwOnError: false,
    },
    mutations: { retry: false },
  },
})

const isOver = (error: unknown) => isProblem(error) && error.code === 'signed_out'

/** `inCompany(companyId, 'members', { search })` */
export const inCompany = (companyId: string, ...rest: readonly unknown[]) => ['company', companyId, ...rest] as const

/** `ofAccount('sessions')` */
export const ofAccount = (...rest: readonly unknown[]) => ['account', ...rest] as const
