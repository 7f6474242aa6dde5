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

const CACHE_SIZE_MAX = 10_000

/** Reads the header `Authorization` and throws 401. A signature is verified once and cached, the expiry at every use. */
export function createTokenVerifier(keys: Keys): (authorization: string | undefined) => TokenSubject {
  const cache = new Map<string, Claims>()
  const read = (token: string): Claims | undefined => {
    const key = hash('sha256', token, 'base64url')
    const known = cache.get(key)
    if (known) return known
    const claims = readToken(keys, 'at+jwt', token)
    if (claims) {
      if (cache.size >= CACHE_SIZE_MAX) cache.delete(cache.keys().next().value as string)
      cache.set(key, claims)
    }
    return claims
  }
  return (authorization) => {
    const token = bearerToken(authorization)
    if (token === undefined) throw problem('token_missing')
    const claims = read(token)
    if (!claims || claims.exp * 1000 <= Date.now() || !isUuid(claims.sub) || !isUuid(claims.sid))
      throw problem('token_invalid')
    return { accountId: claims.sub, sessionId: claims.sid }
  }
}

/** The scheme in any letter case (RFC 9110, 11.1). */
function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
}
