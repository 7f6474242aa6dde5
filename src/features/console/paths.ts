/**
 * Every address of the console, written as its router writes them: the types of `console/src/router.tsx` are compared
 * with this list, and the service answers a browser with the console at these addresses alone.
 */
export const CONSOLE_PATHS = [
  '/',
  '/sign-in',
  '/sign-up',
  '/change-password',
  '/reset-password',
  '/verify-email',
  '/undo-email-change',
  '/invitation',
  '/join',
  '/account',
  '/account/security',
  '/account/sessions',
  '/companies/new',
  '/companies/deleted',
  '/companies/join',
  '/c/$companyId',
  '/c/$companyId/members',
  '/c/$companyId/members/invitations',
  '/c/$companyId/members/requests',
  '/c/$companyId/members/$memberId',
  '/c/$companyId/roles',
  '/c/$companyId/roles/$roleId',
  '/c/$companyId/branches',
  '/c/$companyId/audit',
  '/c/$companyId/settings',
  '/c/$companyId/settings/policy',
  '/c/$companyId/settings/domains',
] as const

export type ConsolePath = (typeof CONSOLE_PATHS)[number]

/** As the web framework writes a path with parameters. */
export const routeOf = (path: ConsolePath): string => path.replaceAll('$', ':')
