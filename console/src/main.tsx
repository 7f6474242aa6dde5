import './ui/base.css'
import './ui/tokens.css'
import './link-token.ts'
import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { isProblem } from './api/problems.ts'
import { queries } from './api/queries.ts'
import { tenantry } from './api/tenantry.ts'
import { router } from './router.tsx'

/** What one person has read is not there for the next one, and pages of people who are signed in close with the session. */
let accountId: string | undefined
tenantry.session.subscribe((state) => {
  const next = state.status === 'signed_in' ? state.account?.id : undefined
  if (state.status !== 'signed_in' || (accountId && next && next !== accountId)) {
    queries.clear()
    void router.invalidate()
  }
  accountId = next ?? accountId
})

// After a new version of the service its older pages are gone: the page that is open loads the new ones.
const RELOADED = 'tenantry.reloaded'
addEventListener('vite:preloadError', (event) => {
  // Without a connection a reload would leave nothing of the console: the page that can’t be loaded says so instead.
  if (!navigator.onLine) return event.preventDefault()
  if (sessionStorage.getItem(RELOADED) === location.pathname) return
  sessionStorage.setItem(RELOADED, location.pathname)
  event.preventDefault()
  location.reload()
})

/** A refusal of the service is shown on its page, and is no error of the console. */
const onCaughtError = (error: unknown) => isProblem(error) || console.error(error)

createRoot(document.getElementById('root') as HTMLElement, { onCaughtError }).render(
  <StrictMode>
    {/* Its few style elements are against the policy; ui/*.css says the same. */}
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
)
