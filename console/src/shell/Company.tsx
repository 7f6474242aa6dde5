import { Outlet } from '@tanstack/react-router'
import { lazy, Suspense, useEffect } from 'react'
import { useCompany } from '../api/use-company.ts'
import { rememberCompany } from '../session-pages.ts'
import { NoCompanyPage, PendingPage } from './fallbacks.tsx'

const SuspendedPage = lazy(async () => ({ default: (await import('../pages/companies/suspended.tsx')).SuspendedPage }))

/** The pages of the company in the address. */
export function Company() {
  const { id, summary } = useCompany()
  const isMember = summary !== undefined
  useEffect(() => {
    if (isMember) rememberCompany(id)
  }, [id, isMember])
  if (summary?.status === 'suspended')
    return (
      <Suspense fallback={<PendingPage />}>
        <SuspendedPage key={id} />
      </Suspense>
    )
  // Keyed, so that no page keeps the state of one company in another.
  return isMember ? <Outlet key={id} /> : <NoCompanyPage />
}
