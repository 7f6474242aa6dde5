import { type Load, type Outgoing, requestOf } from '../drive/load.ts'
import { PASSWORD } from '../load/load.ts'
import { type LoadSource, once, repeated } from './load-source.ts'
import type { Person, World } from './world.ts'

const CONNECTIONS = 32
const LOGOUTS = 8_000
const LOGINS_BESIDE = 4
/** The origin that servers/better-auth.mjs trusts. */
const ORIGIN = 'https://app.example.com'

/** The requests of better-auth that come closest: `me` gives session and user, without companies and permissions. */
export function betterAuth(world: World) {
  const many = once(() => world.createCookies(repeated(world.people, CONNECTIONS)))
  const ordinary = once(() => world.createCookies(repeated(world.ordinary, CONNECTIONS)))
  const get =
    (cookies: () => Promise<string[]>, path: string, connections = CONNECTIONS): LoadSource =>
    async () => {
      const requests = (await cookies()).map((cookie) => ({
        bytes: requestOf('GET', `/api/auth${path}`, { cookie }),
      }))
      return { connections, status: 200, next: (index) => requests[index] as Outgoing }
    }
  return {
    me: get(ordinary, '/get-session'),
    meMany: get(many, '/get-session'),
    refused: refused(world, many),
    list: (offset: number, company: number, connections?: number) =>
      get(
        many,
        `/organization/list-members?organizationId=${world.companies[company]}&limit=20&offset=${offset}`,
        connections,
      ),
    patch: patch(world, many),
    login: login(world.people, CONNECTIONS),
    loginBeside: login(world.people, LOGINS_BESIDE),
    logout: logout(world),
  }
}

const post = (path: string, cookie: string, body: object): Outgoing => ({
  bytes: requestOf('POST', `/api/auth${path}`, { cookie, origin: ORIGIN }, body),
})

/** A member invites another one, which only admins and owners may. */
function refused(world: World, cookies: () => Promise<string[]>): LoadSource {
  return async (): Promise<Load> => {
    const body = { email: 'someone@example.test', role: 'member', organizationId: world.companies[0] }
    const requests = (await cookies()).map((cookie) => post('/organization/invite-member', cookie, body))
    return { connections: CONNECTIONS, status: 403, next: (index) => requests[index] }
  }
}

/** The only field of a member that can be changed is its role. */
function patch(world: World, cookies: () => Promise<string[]>): LoadSource {
  let changes = 0
  return async () => {
    const all = await cookies()
    const { peerMemberships } = world
    const next = (index: number) => {
      const memberId = peerMemberships[++changes % peerMemberships.length]
      const role = Math.floor(changes / peerMemberships.length) % 2 === 0 ? 'admin' : 'member'
      const body = { memberId, role, organizationId: world.companies[1] }
      return post('/organization/update-member-role', all[index] as string, body)
    }
    return { connections: CONNECTIONS, status: 200, next }
  }
}

function login(people: readonly Person[], connections: number): LoadSource {
  const requests = people.map(({ email }) => ({
    bytes: requestOf('POST', '/api/auth/sign-in/email', {}, { email, password: PASSWORD }),
  }))
  return async () => ({ connections, status: 200, next: (index) => requests[index] as Outgoing })
}

function logout(world: World): LoadSource {
  return async () => {
    const cookies = await world.createCookies(repeated(world.people, LOGOUTS))
    const next = () => {
      const cookie = cookies.pop()
      return cookie === undefined ? undefined : post('/sign-out', cookie, {})
    }
    return { connections: CONNECTIONS, status: 200, next }
  }
}
