import { Outlet } from '@tanstack/react-router'
import { Activity, lazy, Suspense, useEffect, useRef } from 'react'
import { useCompany } from '../api/use-company.ts'
import { rememberCompany } from '../session-pages.ts'
import { NoCompanyPage, PendingPage } from './fallbacks.tsx'

const SuspendedPage = lazy(async () => ({ default: (await import('../pages/companies/suspended.tsx')).SuspendedPage }))
const UnopenedPage = lazy(async () => ({ default: (await import('../pages/companies/unopened.tsx')).UnopenedPage }))
const ClosedPage = lazy(async () => ({ default: (await import('./ClosedPage.tsx')).ClosedPage }))

/** The pages of the company in the address. */
export function Company() {
  const { id, summary, isUnopened, closedBy } = useCompany()
  const isOpened = summary !== undefined && !isUnopened
  useEffect(() => {
    if (isOpened) rememberCompany(id)
  }, [id, isOpened])
  if (!summary) return <NoCompanyPage />
  if (summary.status === 'suspended')
    return (
      <Suspense fallback={<PendingPage />}>
        <SuspendedPage key={id} />
      </Suspense>
    )
  // Before its policy is told, which may ask for something of the account.
  if (isUnopened)
    return (
      <Suspense fallback={<PendingPage />}>
        <UnopenedPage key={id} />
      </Suspense>
    )
  // Keyed, so that no page keeps the state of one company in another.
  return <Pages key={id} closedBy={closedBy} />
}

/** A page that the company’s policy closes is hidden with what was written on it, and goes on once the person is let in. */
function Pages({ closedBy }: { closedBy: string | undefined }) {
  const wasOpen = useRef(false)
  if (!closedBy) wasOpen.current = true
  return (
    <>
      {closedBy && (
        <Suspense fallback={<PendingPage />}>
          <ClosedPage code={closedBy} />
        </Suspense>
      )}
      {wasOpen.current && (
        <Activity mode={closedBy ? 'hidden' : 'visible'}>
          <Outlet />
        </Activity>
      )}
    </>
  )
}
