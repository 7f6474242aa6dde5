import { Outlet } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useCompany } from '../api/use-company.ts'
import { rememberCompany } from '../session-pages.ts'
import { NoCompanyPage } from './fallbacks.tsx'

/** The pages of the company in the address. */
export function Company() {
  const { id, summary } = useCompany()
  const isMember = summary !== undefined
  useEffect(() => {
    if (isMember) rememberCompany(id)
  }, [id, isMember])
  // Keyed, so that no page keeps the state of one company in another.
  return isMember ? <Outlet key={id} /> : <NoCompanyPage />
}
