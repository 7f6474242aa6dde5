import { type Load, type Outgoing, requestOf } from '../drive/load.ts'
import { PASSWORD } from '../load/load.ts'
import { type LoadSource, once, repeated } from './load-source.ts'
import type { Person, Session, World } from './world.ts'

const CONNECTIONS = 32
/** Each request hashes a password: more would only wait, some for longer than the service lets them. */
const ADDING_CONNECTIONS = 8
/** More than a window of logouts needs. */
const LOGOUTS = 24_000
const LOGINS_BESIDE = 4

/** The requests of Tenantry's API, which the limit serves as well. Each connection is another person. */
export function own(world: World, product: 'limit' | 'tenantry') {
  const sessionsOf = (people: readonly Person[], count = CONNECTIONS) =>
    once(() => world.createSessions(product, repeated(people, count)))
  const many = sessionsOf(world.people)
  const ordinary = sessionsOf(world.ordinary)
  const get =
    (sessions: () => Promise<Session[]>, path: string, options: Partial<Load> = {}, company?: number): LoadSource =>
    async () => {
      const requests = (await sessions()).map(({ accessToken }) => ({
        bytes: requestOf('GET', `/api${path}`, headersOf(accessToken, world, company)),
      }))
      return { connections: CONNECTIONS, status: 200, next: (index) => requests[index] as Outgoing, ...options }
    }
  return {
    me: get(ordinary, '/auth/me'),
    meMany: get(many, '/auth/me'),
    refused: get(many, '/companies/audit', { status: 403 }, 0),
    list: (query: string, company: number, connections = CONNECTIONS) =>
      get(many, `/companies/users${query}`, { connections }, company),
    audit: get(many, '/companies/audit', {}, 1),
    add: (company: number) => add(world, many, company),
    patch: patch(world, many),
    refresh: refresh(sessionsOf(world.people)),
    login: login(world.people, CONNECTIONS),
    loginBeside: login(world.people, LOGINS_BESIDE),
    logout: logout(world, product),
  }
}

const headersOf = (accessToken: string, { companies }: World, company?: number): Record<string, string> => ({
  authorization: `Bearer ${accessToken}`,
  ...(company !== undefined && { 'x-company-id': companies[company] as string }),
})

function add(world: World, sessions: () => Promise<Session[]>, company: number): LoadSource {
  let added = 0
  const run = Math.random().toString(36).slice(2)
  return async () => {
    const headers = (await sessions()).map(({ accessToken }) => headersOf(accessToken, world, company))
    const next = (index: number) => {
      const body = { name: `Newcomer ${++added}`, email: `new.${run}.${added}@example.test` }
      return { bytes: requestOf('POST', '/api/companies/users', headers[index], body) }
    }
    return { connections: ADDING_CONNECTIONS, status: 201, next }
  }
}

/** Each request changes another member of the same company, so all of them wait for that company's lock. */
function patch(world: World, sessions: () => Promise<Session[]>): LoadSource {
  let changes = 0
  return async () => {
    const headers = (await sessions()).map(({ accessToken }) => headersOf(accessToken, world, 1))
    const next = (index: number) => {
      const member = world.editable[++changes % world.editable.length]
      const body = { phone: `+34 600 ${String(changes).padStart(7, '0')}` }
      return { bytes: requestOf('PATCH', `/api/companies/users/${member}`, headers[index], body) }
    }
    return { connections: CONNECTIONS, status: 200, next }
  }
}

/** Each connection sends the refresh token of its last response. */
function refresh(sessions: () => Promise<Session[]>): LoadSource {
  return async () => {
    const current = await sessions()
    const next = (index: number): Outgoing => {
      const session = current[index] as Session
      return {
        bytes: requestOf('POST', '/api/auth/refresh', {}, { refreshToken: session.refreshToken }),
        read: ({ body }) => {
          session.refreshToken = JSON.parse(body.toString()).data.refreshToken
        },
      }
    }
    return { connections: CONNECTIONS, status: 200, next }
  }
}

function login(people: readonly Person[], connections: number): LoadSource {
  const requests = people.map(({ email }) => ({
    bytes: requestOf('POST', '/api/auth/login', {}, { email, password: PASSWORD }),
  }))
  return async () => ({ connections, status: 200, next: (index) => requests[index] as Outgoing })
}

/** Each request ends a session of its own. */
function logout(world: World, product: 'limit' | 'tenantry'): LoadSource {
  return async () => {
    const sessions = await world.createSessions(product, repeated(world.people, LOGOUTS))
    const next = () => {
      const session = sessions.pop()
      if (!session) return undefined
      const { accessToken, refreshToken } = session
      return { bytes: requestOf('POST', '/api/auth/logout', headersOf(accessToken, world), { refreshToken }) }
    }
    return { connections: CONNECTIONS, status: 200, next }
  }
}
