import { redirect } from '@tanstack/react-router'
import { type SignedInState, tenantry } from './api/tenantry.ts'
import { canSignUp } from './app-facts.ts'

const COMPANY_KEY = 'tenantry.company'

/**
 * Only ever a page of the console: an address of another site would let a link send people there after signing in. Browsers leave out
 * control characters and read `\` as `/`, so neither is in a target.
 */
export const safeTarget = (to: unknown): string | undefined =>
  typeof to === 'string' && /^\/(?!\/)[^\\\p{Cc}]*$/u.test(to) ? to : undefined

/** Before every page of people who are signed in. */
export async function requireSignedIn({ location }: { location: { href: string } }): Promise<void> {
  const state = await tenantry.session.restore()
  if (state.status !== 'signed_in') {
    const isGone = state.status === 'signed_out' && state.reason === 'signed_out'
    throw redirect({
      to: '/sign-in',
      search: isGone || location.href === '/' ? {} : { to: location.href },
      replace: true,
    })
  }
  if (state.mustChangePassword) throw redirect({ to: '/change-password', replace: true })
}

/** Before sign-in and sign-up: who is signed in already goes on. */
export async function requireSignedOut({ search }: { search: { to?: string | undefined } }): Promise<void> {
  const state = await tenantry.session.restore().catch(() => undefined)
  if (state?.status === 'signed_in') throw redirect({ to: search.to ?? '/', replace: true })
}

/** Before sign-up: where SIGN_UP leaves no one to sign up, the page has no use. */
export async function requireSignUp({ search }: { search: { to?: string | undefined } }): Promise<void> {
  if (!canSignUp) throw redirect({ to: '/sign-in', search, replace: true })
  await requireSignedOut({ search })
}

/** Before the page that replaces a temporary password: everyone else goes on. */
export async function requireTemporaryPassword(): Promise<void> {
  const state = await tenantry.session.restore()
  if (state.status !== 'signed_in' || !state.mustChangePassword) throw redirect({ to: '/', replace: true })
}

/** Before pages that are for people with and without a session. */
export async function restoreSession(): Promise<void> {
  await tenantry.session.restore().catch(() => {})
}

/** `/` leads to the company that its address names, as in emails, or to the default one. */
export function leadToCompany({ search }: { search: { company?: string | undefined } }): void {
  const state = tenantry.session.get()
  if (state.status !== 'signed_in') return
  const company = state.companies.find(({ id }) => id === search.company) ?? defaultCompany(state)
  if (company) throw redirect({ to: '/c/$companyId', params: { companyId: company.id }, replace: true })
}

/**
 * Where no address names one: the company that was open last in this browser. Names are not unique, so one that has only added the account
 * never comes before one that the account has opened.
 */
export function defaultCompany({ companies, unopened }: Pick<SignedInState, 'companies' | 'unopened'>) {
  const opened = companies.filter(({ id }) => !unopened.includes(id))
  const last = localStorage.getItem(COMPANY_KEY)
  return opened.find(({ id }) => id === last) ?? opened[0] ?? companies[0]
}

export const rememberCompany = (id: string): void => localStorage.setItem(COMPANY_KEY, id)
