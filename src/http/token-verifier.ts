import { hash } from 'node:crypto'
import { isUuid } from '../lib/ids.ts'
import type { Keys } from '../lib/keys.ts'
import { type Claims, readToken } from '../lib/tokens.ts'
import { problem } from '../problems.ts'

/** The account and session of a valid access token. */
export interface TokenSubject {
  accountId: string
  sessionId: string
}

/** Reads the header `Authorization`. A signature is verified once and cached, the expiry at every use. */
export interface TokenVerifier {
  /** Throws 401 unless it holds a valid token. */
  verify(authorization: string | undefined): TokenSubject
  /**
   * The subject of a valid token whose session is not known to have ended. `forged`: there is no genuine signature.
   * `onlyKnown`: verifies no signature, and finds a token only when that was done before.
   */
  find(authorization: string, options: { onlyKnown: boolean }): TokenSubject | 'forged' | undefined
  /** The database has no such live session: `find` no longer finds its tokens. */
  forgetSession(sessionId: string): void
}

const CACHE_SIZE_MAX = 10_000

export function createTokenVerifier(keys: Keys): TokenVerifier {
  const cache = new Map<string, Claims>()
  const ended = new Set<string>()
  const read = (token: string, { onlyKnown }: { onlyKnown: boolean }): Claims | undefined => {
    const key = hash('sha256', token, 'base64url')
    const known = cache.get(key)
    if (known || onlyKnown) return known
    const claims = readToken(keys, 'at+jwt', token)
    if (claims) {
      makeRoom(cache)
      cache.set(key, claims)
    }
    return claims
  }
  return {
    verify(authorization) {
      const token = bearerToken(authorization)
      if (token === undefined) throw problem('token_missing')
      const subject = subjectOf(read(token, { onlyKnown: false }))
      if (!subject) throw problem('token_invalid')
      return subject
    },
    find(authorization, options) {
      const token = bearerToken(authorization)
      const claims = token === undefined ? undefined : read(token, options)
      if (token !== undefined && !claims && !options.onlyKnown) return 'forged'
      const subject = subjectOf(claims)
      return subject && !ended.has(subject.sessionId) ? subject : undefined
    },
    forgetSession(sessionId) {
      makeRoom(ended)
      ended.add(sessionId)
    },
  }
}

/** Undefined: the token has expired. */
function subjectOf(claims: Claims | undefined): TokenSubject | undefined {
  if (!claims || claims.exp * 1000 <= Date.now() || !isUuid(claims.sub) || !isUuid(claims.sid)) return undefined
  return { accountId: claims.sub, sessionId: claims.sid }
}

/** The oldest entry makes room for a new one. */
function makeRoom(entries: Map<string, unknown> | Set<string>): void {
  if (entries.size >= CACHE_SIZE_MAX) entries.delete(entries.keys().next().value as string)
}

/** The scheme in any letter case (RFC 9110, 11.1). */
function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
}
