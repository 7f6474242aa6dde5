import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../access/actors.ts'
import type { Config } from '../config/config.ts'
import type { Keys } from '../lib/keys.ts'
import { type Claims, readToken } from '../lib/tokens.ts'
import { problem } from '../problems.ts'
import { problemFrom } from './errors.ts'
import type { RouteResponse } from './idempotency/store.ts'
import { assertSessionOrigin, isServedLocally } from './origins.ts'

/**
 * What a route does with a session whose refresh token can be in a cookie: `opens` answers with the token, `refreshes` takes
 * it and answers with the next one, `ends` takes it. See docs/decisions/0041-refresh-token-in-a-cookie.md.
 */
export type SessionCookieUse = 'opens' | 'refreshes' | 'ends'

const NAME = 'tenantry_refresh_token'

/** The cookie in which a browser keeps a refresh token out of the reach of scripts. */
export class SessionCookie {
  readonly #name: string
  readonly #attributes: string
  readonly #config: Config
  readonly #keys: Keys

  /** What APP_URL says decides about its form, and nothing that a request says. */
  constructor(config: Config, keys: Keys) {
    const isLocal = isServedLocally(config)
    this.#name = isLocal ? NAME : `__Host-${NAME}`
    this.#attributes = `Path=/; HttpOnly; ${isLocal ? '' : 'Secure; '}SameSite=Strict`
    this.#config = config
    this.#keys = keys
  }

  /** Throws when the request uses the cookie and may not; gives a rule the token in the cookie as if it were in the body. */
  admit(request: FastifyRequest, use: SessionCookieUse): void {
    const { headers, body } = request
    if (use !== 'opens') assertKnownMode(headers['x-session'])
    const fields = fieldsOf(body)
    if (!usesCookie(request, use)) {
      // The schema can't demand it, because with the cookie it is not in the body.
      if (use !== 'opens' && fields && fields.refreshToken === undefined) throw invalid('refreshToken', 'is required')
      return
    }
    assertSessionOrigin(this.#config, request)
    if (use === 'opens' || !fields) return
    if (fields.refreshToken !== undefined)
      throw invalid('refreshToken', 'can’t be sent together with x-session: cookie')
    request.body = { ...fields, refreshToken: findOnly(headers.cookie, this.#name) }
  }

  /** The header `Set-Cookie` for this token, always the same one. The cookie lasts as long as its token. */
  of(refreshToken: string): string {
    const { iat, exp } = readToken(this.#keys, 'rt+jwt', refreshToken) as Claims
    return this.#with(refreshToken, exp - iat)
  }

  /** Whether the refresh token, also one that is used or expired, is of another account than the caller's. */
  isOfAnother({ accountId }: Actor, refreshToken: unknown): boolean {
    const claims = typeof refreshToken === 'string' ? readToken(this.#keys, 'rt+jwt', refreshToken) : undefined
    return claims !== undefined && claims.sub !== accountId
  }

  get cleared(): string {
    return this.#with('', 0)
  }

  #with(value: string, seconds: number): string {
    return `${this.#name}=${value}; Max-Age=${seconds}; ${this.#attributes}`
  }
}

/**
 * Moves the refresh token of a response into the cookie, or clears the cookie, where the request asks for it. What is stored
 * for repeated requests is the response before that, so that a repetition sets the same cookie.
 */
export function withSessionCookie(
  cookie: SessionCookie,
  use: SessionCookieUse | undefined,
  run: (request: FastifyRequest, reply: FastifyReply) => Promise<RouteResponse>,
): typeof run {
  if (!use) return run
  return async (request, reply) => {
    if (!usesCookie(request, use)) return run(request, reply)
    const afterRefusal = (status: number) => {
      if (use === 'refreshes' && status === 401) reply.header('set-cookie', cookie.cleared)
    }
    const response = await run(request, reply).catch((refusal) => {
      afterRefusal(problemFrom(refusal).status)
      throw refusal
    })
    // A refusal that is repeated is not thrown.
    if (response.status >= 400) {
      afterRefusal(response.status)
      return response
    }
    if (use === 'ends') {
      // Another front end of this host may have signed in to another account since: that session is live, and only here.
      const isKept = cookie.isOfAnother(request.actor as Actor, fieldsOf(request.body)?.refreshToken)
      if (!isKept) reply.header('set-cookie', cookie.cleared)
      return response
    }
    const { refreshToken, ...data } = (response.body as { data: { refreshToken: string } }).data
    reply.header('set-cookie', cookie.of(refreshToken))
    return { ...response, body: { ...response.body, data } }
  }
}

const usesCookie = ({ headers, body }: FastifyRequest, use: SessionCookieUse): boolean =>
  use === 'opens' ? fieldsOf(body)?.sessionIn === 'cookie' : headers['x-session'] === 'cookie'

function assertKnownMode(header: unknown): void {
  if (header !== undefined && header !== 'cookie') throw invalid('x-session', 'must be cookie')
}

/** Undefined: validation will refuse the body, because it is not an object. */
function fieldsOf(body: unknown): Record<string, unknown> | undefined {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
  return isObject ? (body as Record<string, unknown>) : undefined
}

const invalid = (path: string, message: string) => problem('validation_failed', { details: [{ path, message }] })

/**
 * The value of the cookie with exactly this name. Undefined: there is none, or there are several, of which a browser would
 * have sent one at most. Only spaces and tabs count as white space: a browser lets a subdomain plant a cookie whose name
 * begins with another white space and then `__Host-`.
 */
function findOnly(header: string | undefined, name: string): string | undefined {
  const pairs = (header ?? '').split(';').map((pair) => pair.replace(/^[ \t]+|[ \t]+$/g, ''))
  const [value, ...more] = pairs
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
  return more.length === 0 && value ? value : undefined
}
