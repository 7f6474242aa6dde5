import { Navigate, Outlet, useLocation, useParams } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useSession, useSignedIn } from '../api/tenantry.ts'
import { closedIn } from '../api/use-company.ts'
import { appName } from '../app-facts.ts'
import { defaultCompany } from '../session-pages.ts'
import { useTexts } from '../texts/use-texts.ts'
import { IconButton } from '../ui/Button.tsx'
import { AccountMenu } from './AccountMenu.tsx'
import { CompanySwitcher } from './CompanySwitcher.tsx'
import { PendingPage } from './fallbacks.tsx'
import { Navigation } from './Navigation.tsx'
import styles from './Shell.module.css'

/** Another tab has signed in with another account: what stands in the forms here is not theirs to save, nor to see. */
export function Shell() {
  const session = useSession()
  if (session.status === 'unknown') return <PendingPage />
  // The frame would show who was signed in before.
  if (session.status === 'signed_in' && session.mustChangePassword)
    return (
      <>
        <PendingPage />
        <Navigate to="/change-password" replace />
      </>
    )
  return <Frame />
}

/** Around every page of people who are signed in: which company, which page, whose account. */
function Frame() {
  const t = useTexts('shell')
  const company = useShownCompany()
  const { access, unopened } = useSignedIn()
  const isOpen = company?.status === 'active' && !unopened.includes(company.id) && !closedIn(access, company.id)
  const drawer = useDrawer()
  return (
    <div className={styles.shell}>
      <a href="#main" className={styles.skip}>
        {t.skip}
      </a>
      <header className={styles.bar}>
        <IconButton
          ref={drawer.opener}
          icon="menu"
          label={t.openNavigation}
          aria-expanded={drawer.isOpen}
          onClick={drawer.open}
        />
        <span className={styles.where}>{company?.name ?? appName}</span>
      </header>
      {drawer.isOpen && (
        <button type="button" className={styles.backdrop} aria-label={t.closeNavigation} onClick={drawer.close} />
      )}
      <nav ref={drawer.panel} className={styles.side} aria-label={t.navigation} data-open={drawer.isOpen || undefined}>
        <CompanySwitcher company={company} />
        {/* Of a company that is closed, to all or to this session, or not opened, there is only the one page that says so. */}
        <Navigation companyId={isOpen ? company?.id : undefined} />
        <AccountMenu />
      </nav>
      <main id="main" className={styles.main} tabIndex={-1}>
        <Outlet />
      </main>
    </div>
  )
}

/** That of the address; on the pages of the account the default one. */
function useShownCompany() {
  const { companyId } = useParams({ strict: false })
  const session = useSignedIn()
  return companyId ? session.companies.find(({ id }) => id === companyId) : defaultCompany(session)
}

/** On a phone the navigation slides in. It closes with Escape and with each change of page. */
function useDrawer() {
  const { pathname } = useLocation()
  const [isOpen, setOpen] = useState(false)
  const opener = useRef<HTMLButtonElement>(null)
  const panel = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: Each change of page closes it.
  useEffect(() => setOpen(false), [pathname])
  useEffect(() => {
    if (!isOpen) return
    const before = opener.current
    panel.current?.querySelector<HTMLElement>('a, button')?.focus()
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && setOpen(false)
    document.addEventListener('keydown', onKey)
    return () => {
      document.removeEventListener('keydown', onKey)
      before?.focus()
    }
  }, [isOpen])
  return { isOpen, opener, panel, open: () => setOpen(true), close: () => setOpen(false) }
}
