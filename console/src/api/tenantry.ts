import { type CompanyScope, createClient, type PermissionName, type SessionState } from '@tenantry/client'
import { useSyncExternalStore } from 'react'
import { basePath } from '../app-facts.ts'
import { currentLocale, setLocale } from '../texts/language.ts'
import { askForProof } from './step-up.ts'
import { reportAnswer } from './weather.ts'

/** The only way to the service. Its refresh token is in a cookie that no script can read. */
export const tenantry = createClient({
  baseUrl: location.origin + basePath,
  session: 'cookie',
  language: currentLocale,
  fetch: async (request) => {
    // Nothing of it stays in the browser for the person who uses it next.
    const response = await fetch(request, { cache: 'no-store' })
    if (!isAside(response)) reportAnswer(response)
    void noticeLostAccess(response)
    return response
  },
  // Every list, button and form: whatever wants a fresh proof opens the same dialog, and then goes on.
  onReauthentication: askForProof,
})

/** What a page asks for without being asked: that it can't be had just now concerns nobody. */
const isAside = ({ url }: Response) => url.endsWith('/api/auth/passkeys/options')

tenantry.session.subscribe((state) => {
  if (state.status === 'signed_in' && state.account) setLocale(state.account.locale || null)
  if (state.status === 'signed_out') setLocale(null)
})

const ACCESS_LOST = ['company_not_found', 'company_suspended', 'not_a_member']

/** The company was deleted or suspended, or the person is no longer in it: what is read anew says so on every page. */
async function noticeLostAccess(response: Response): Promise<void> {
  if (response.status !== 403 && response.status !== 404) return
  const { code } = await response
    .clone()
    .json()
    .catch(() => ({}))
  if (ACCESS_LOST.includes(code)) await tenantry.session.reload().catch(() => {})
}

/** Who is signed in, and what they may do where: the answer of one call that all pages share. */
export const useSession = (): SessionState => useSyncExternalStore(tenantry.session.subscribe, tenantry.session.get)

export type SignedInState = Extract<SessionState, { status: 'signed_in'; mustChangePassword: false }>

/** On the pages of people who are signed in. */
export function useSignedIn(): SignedInState {
  const state = useLast(useSession())
  if (!state) throw new Error('Nobody is signed in')
  return state
}

let last: SignedInState | undefined

/** Keeps what was there while a page goes away because its session has ended. */
function useLast(state: SessionState): SignedInState | undefined {
  if (state.status === 'signed_in' && !state.mustChangePassword) last = state
  return last
}

/** Whether the person may do this in the company: what they may not do is not shown. The service decides anew. */
export function useCan(companyId: string): (permission: PermissionName) => boolean {
  const { permissions } = useSignedIn()
  const held = permissions[companyId] ?? []
  return (permission) => held.includes(permission)
}

export type { CompanyScope }
