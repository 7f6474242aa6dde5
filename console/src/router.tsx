import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RegisteredRouter,
} from '@tanstack/react-router'
import type { ConsolePath } from '../../src/features/console/paths.ts'
import { basePath } from './app-facts.ts'
import {
  leadToCompany,
  requireSignedIn,
  requireSignedOut,
  requireSignUp,
  requireTemporaryPassword,
  restoreSession,
  safeTarget,
} from './session-pages.ts'
import { BrokenPage, NotFoundPage, PendingPage } from './shell/fallbacks.tsx'
import { Root } from './shell/Root.tsx'

/*
 * Every page: its address, who may open it, and the file that is loaded when someone does. A new page needs its address in
 * src/features/console/paths.ts too: the types below compare the two.
 */

const root = createRootRoute({ component: Root, notFoundComponent: NotFoundPage })
const withTarget = (search: Record<string, unknown>): { to?: string | undefined } => ({ to: safeTarget(search.to) })

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: withTarget,
  beforeLoad: requireSignedOut,
  component: lazyRouteComponent(() => import('./pages/auth/sign-in.tsx'), 'SignInPage'),
})
const signUp = createRoute({
  getParentRoute: () => root,
  path: '/sign-up',
  validateSearch: withTarget,
  beforeLoad: requireSignUp,
  component: lazyRouteComponent(() => import('./pages/auth/sign-up.tsx'), 'SignUpPage'),
})
const changePassword = createRoute({
  getParentRoute: () => root,
  path: '/change-password',
  beforeLoad: requireTemporaryPassword,
  component: lazyRouteComponent(() => import('./pages/auth/change-password.tsx'), 'ChangePasswordPage'),
})
const resetPassword = createRoute({
  getParentRoute: () => root,
  path: '/reset-password',
  component: lazyRouteComponent(() => import('./pages/auth/reset-password.tsx'), 'ResetPasswordPage'),
})
const verifyEmail = createRoute({
  getParentRoute: () => root,
  path: '/verify-email',
  component: lazyRouteComponent(() => import('./pages/auth/verify-email.tsx'), 'VerifyEmailPage'),
})
const undoEmailChange = createRoute({
  getParentRoute: () => root,
  path: '/undo-email-change',
  component: lazyRouteComponent(() => import('./pages/auth/undo-email-change.tsx'), 'UndoEmailChangePage'),
})
const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  beforeLoad: restoreSession,
  component: lazyRouteComponent(() => import('./pages/invitation/invitation.tsx'), 'InvitationPage'),
})
const join = createRoute({
  getParentRoute: () => root,
  path: '/join',
  beforeLoad: restoreSession,
  component: lazyRouteComponent(() => import('./pages/invitation/join.tsx'), 'JoinPage'),
})

const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: requireSignedIn,
  component: lazyRouteComponent(() => import('./shell/Shell.tsx'), 'Shell'),
})
const start = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  validateSearch: ({ company }: Record<string, unknown>): { company?: string | undefined } => ({
    company: typeof company === 'string' ? company : undefined,
  }),
  beforeLoad: leadToCompany,
  component: lazyRouteComponent(() => import('./pages/home/no-companies.tsx'), 'NoCompaniesPage'),
})
const account = createRoute({
  getParentRoute: () => signedIn,
  path: '/account',
  component: lazyRouteComponent(() => import('./pages/account/profile.tsx'), 'ProfilePage'),
})
const accountSecurity = createRoute({
  getParentRoute: () => signedIn,
  path: '/account/security',
  validateSearch: withTarget,
  component: lazyRouteComponent(() => import('./pages/account/security.tsx'), 'SecurityPage'),
})
const accountSessions = createRoute({
  getParentRoute: () => signedIn,
  path: '/account/sessions',
  component: lazyRouteComponent(() => import('./pages/account/sessions.tsx'), 'SessionsPage'),
})
const newCompany = createRoute({
  getParentRoute: () => signedIn,
  path: '/companies/new',
  component: lazyRouteComponent(() => import('./pages/companies/new.tsx'), 'NewCompanyPage'),
})
const deletedCompanies = createRoute({
  getParentRoute: () => signedIn,
  path: '/companies/deleted',
  component: lazyRouteComponent(() => import('./pages/companies/deleted.tsx'), 'DeletedCompaniesPage'),
})
const joinCompany = createRoute({
  getParentRoute: () => signedIn,
  path: '/companies/join',
  component: lazyRouteComponent(() => import('./pages/companies/join.tsx'), 'JoinCompanyPage'),
})

const company = createRoute({
  getParentRoute: () => signedIn,
  path: '/c/$companyId',
  component: lazyRouteComponent(() => import('./shell/Company.tsx'), 'Company'),
})
const home = createRoute({
  getParentRoute: () => company,
  path: '/',
  component: lazyRouteComponent(() => import('./pages/home/home.tsx'), 'HomePage'),
})
/** Filters, sorting and page of a list are in its address, so that Back and a shared link show the same. */
const asWritten = (search: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(search).map(([key, value]) => [key, String(value)]))

const members = createRoute({
  getParentRoute: () => company,
  path: '/members',
  validateSearch: asWritten,
  component: lazyRouteComponent(() => import('./pages/members/list.tsx'), 'MembersPage'),
})
const invitations = createRoute({
  getParentRoute: () => company,
  path: '/members/invitations',
  validateSearch: asWritten,
  component: lazyRouteComponent(() => import('./pages/inviting/invitations.tsx'), 'InvitationsPage'),
})
const joinRequests = createRoute({
  getParentRoute: () => company,
  path: '/members/requests',
  component: lazyRouteComponent(() => import('./pages/inviting/requests.tsx'), 'JoinRequestsPage'),
})
const member = createRoute({
  getParentRoute: () => company,
  path: '/members/$memberId',
  component: lazyRouteComponent(() => import('./pages/members/member.tsx'), 'MemberPage'),
})
const roles = createRoute({
  getParentRoute: () => company,
  path: '/roles',
  validateSearch: asWritten,
  component: lazyRouteComponent(() => import('./pages/roles/list.tsx'), 'RolesPage'),
})
const role = createRoute({
  getParentRoute: () => company,
  path: '/roles/$roleId',
  component: lazyRouteComponent(() => import('./pages/roles/role.tsx'), 'RolePage'),
})
const branches = createRoute({
  getParentRoute: () => company,
  path: '/branches',
  validateSearch: asWritten,
  component: lazyRouteComponent(() => import('./pages/branches/tree.tsx'), 'BranchesPage'),
})
const audit = createRoute({
  getParentRoute: () => company,
  path: '/audit',
  validateSearch: asWritten,
  component: lazyRouteComponent(() => import('./pages/audit/list.tsx'), 'AuditPage'),
})
const settings = createRoute({
  getParentRoute: () => company,
  path: '/settings',
  component: lazyRouteComponent(() => import('./pages/settings/settings.tsx'), 'SettingsPage'),
})
const policy = createRoute({
  getParentRoute: () => company,
  path: '/settings/policy',
  component: lazyRouteComponent(() => import('./pages/policy/policy.tsx'), 'PolicyPage'),
})
const domains = createRoute({
  getParentRoute: () => company,
  path: '/settings/domains',
  component: lazyRouteComponent(() => import('./pages/domains/domains.tsx'), 'DomainsPage'),
})

const membersPages = [members, invitations, joinRequests, member]
const companyPages = company.addChildren([
  home,
  ...membersPages,
  roles,
  role,
  branches,
  audit,
  settings,
  policy,
  domains,
])
const accountPages = [start, account, accountSecurity, accountSessions, newCompany, deletedCompanies, joinCompany]
const publicPages = [signIn, signUp, changePassword, resetPassword, verifyEmail, undoEmailChange, invitation, join]

export const router = createRouter({
  routeTree: root.addChildren([...publicPages, signedIn.addChildren([...accountPages, companyPages])]),
  basepath: basePath || '/',
  defaultPreload: 'intent',
  defaultPendingComponent: PendingPage,
  defaultPendingMs: 300,
  defaultErrorComponent: BrokenPage,
  defaultNotFoundComponent: NotFoundPage,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
  interface HistoryState {
    /** Whom an invitation is for: the sign-in begins with it. */
    email?: string
  }
}

type RouterPath = keyof RegisteredRouter['routesByPath']
/** Both lists are the same: an address that is only in one of them is named in the error. */
const unserved: Exclude<RouterPath, ConsolePath | '/c/$companyId/'> extends never
  ? true
  : Exclude<RouterPath, ConsolePath> = true
const unrouted: Exclude<ConsolePath, RouterPath> extends never ? true : Exclude<ConsolePath, RouterPath> = true
void [unserved, unrouted]
