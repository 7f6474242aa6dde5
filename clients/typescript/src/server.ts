import { createRemoteJWKSet, errors, jwtVerify } from 'jose'
import { Problem } from './problem.ts'

export interface VerifierOptions {
  /** `APP_URL` of the service. */
  issuer: string
  /** `ACCESS_TOKEN_AUDIENCE` of the service. */
  audience?: string
  /** Where the keys are, if the issuer does not forward `/.well-known/*` to the service. */
  keysUrl?: string | URL
}

/** What a valid access token says. It holds no permissions: read those with the token of the caller. */
export interface VerifiedToken {
  accountId: string
  sessionId: string
  expiresAt: Date
}

/**
 * Verifies access tokens by the published keys, which are fetched once and kept. A session that was ended is noticed when
 * its token expires, after 15 minutes at most.
 */
export function createVerifier({ issuer, audience = 'tenantry', keysUrl }: VerifierOptions) {
  const keys = createRemoteJWKSet(new URL(keysUrl ?? `${issuer.replace(/\/$/, '')}/.well-known/jwks.json`))

  /** Throws `token_missing` or `token_invalid`, both 401, or `network_error` where the keys can't be fetched. */
  return async function verify(source: string | null | undefined | Request): Promise<VerifiedToken> {
    const header = typeof source === 'object' ? source?.headers.get('authorization') : source
    const token = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1]
    if (!token) throw new Problem('token_missing', { status: 401, message: 'A bearer token is needed' })
    const options = { issuer, audience, typ: 'at+jwt', algorithms: ['EdDSA'], requiredClaims: ['sub', 'sid', 'exp'] }
    try {
      const { payload } = await jwtVerify(token, keys, options)
      return {
        accountId: String(payload.sub),
        sessionId: String(payload.sid),
        expiresAt: new Date(Number(payload.exp) * 1000),
      }
    } catch (cause) {
      throw isRefusal(cause)
        ? new Problem('token_invalid', { status: 401, message: 'The access token is not valid', cause })
        : new Problem('network_error', { status: 503, message: 'The keys of the service can’t be read', cause })
    }
  }
}

/** Any other error is about the keys. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof errors.JWTClaimValidationFailed ||
    error instanceof errors.JWTExpired ||
    error instanceof errors.JWTInvalid ||
    error instanceof errors.JWSInvalid ||
    error instanceof errors.JWSSignatureVerificationFailed ||
    error instanceof errors.JOSEAlgNotAllowed ||
    error instanceof errors.JOSENotSupported ||
    error instanceof errors.JWKSNoMatchingKey
  )
}

export { Problem } from './problem.ts'
