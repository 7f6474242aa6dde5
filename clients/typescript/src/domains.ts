import { thenReload } from './reload.ts'
import type { Routes } from './routes.ts'
import type { Session } from './session.ts'

const DOMAINS = '/api/companies/domains'
const DOMAIN = `${DOMAINS}/{domainId}` as const
const REQUESTS = '/api/companies/join-requests'
const REQUEST = `${REQUESTS}/{requestId}` as const
const COMPANIES = '/api/auth/companies'
const OWN_REQUESTS = '/api/auth/join-requests'

export function createDomains(inside: Routes) {
  return {
    ...inside.lists(DOMAINS),
    get: inside.one('get', DOMAIN),
    /** Publish its `record`, then verify it. */
    add: inside.sending('post', DOMAINS),
    verify: inside.one('post', `${DOMAIN}/verify`),
    /** How people join by it. */
    update: inside.editing(DOMAIN),
    delete: inside.removing(DOMAIN),
  }
}

/** People who ask to join. */
export function createJoinRequests(inside: Routes) {
  return {
    ...inside.lists(REQUESTS),
    /** Without `roleIds` they get those of their domain. */
    approve: inside.sendingTo(`${REQUEST}/approve`),
    decline: inside.one('post', `${REQUEST}/decline`),
  }
}

/** Companies that the account can join by the domain of its verified address. */
export function createJoining(routes: Routes, session: Session) {
  return {
    companies: routes.plain('get', `${COMPANIES}/joinable`),
    /** Again with `emailCode`, after `mailbox_code_required`. */
    join: thenReload(session, routes.sendingTo(`${COMPANIES}/{id}/join`)),
    requests: routes.plain('get', OWN_REQUESTS),
    cancel: routes.one('delete', `${OWN_REQUESTS}/{requestId}`),
  }
}
