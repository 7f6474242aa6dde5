import { sql } from 'kysely'
import { asAnyone } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { SECRETS_REPEATED_MINUTES } from '../../lib/secrets.ts'
import { readToken } from '../../lib/tokens.ts'
import { isLive } from '../accounts/sessions.ts'

/** The session's current token pair was created within the last ten minutes. */
export const isRecent = sql<boolean>`sessions.rotated_at > now() - make_interval(mins => ${SECRETS_REPEATED_MINUTES})`

/**
 * The session's current token pair can be replayed to a retry: it is recent, and neither a password nor the address of the
 * account has changed since. See docs/decisions/0021-stored-responses.md.
 */
export const isRepeatable = sql<boolean>`(${isRecent} and sessions.credentials_version = (
  select accounts.credentials_version from accounts where accounts.id = sessions.account_id))`

/**
 * What all routes share that open a session: a retry gets the same tokens while they are unused, and a browser may get the
 * refresh token as a cookie. Where the body is a proof, such as a password, `keyIncludesBody` makes a corrected one a request
 * of its own.
 */
export const opensSession = (deps: Deps, options: { keyIncludesBody?: true } = {}) => ({
  idempotency: {
    ...options,
    secret: {
      isValid: ({ refreshToken }: { refreshToken?: string | undefined }) => canReplayTokens(deps, refreshToken),
      otherwise: 'repeat' as const,
    },
  },
  sessionCookie: 'opens' as const,
})

/** Whether a stored response with this refresh token can be replayed: the token is unused and its pair replayable. */
async function canReplayTokens({ database, keys }: Deps, refreshToken = ''): Promise<boolean> {
  const claims = readToken(keys, 'rt+jwt', refreshToken)
  if (!claims) return false
  const session = await database
    .autocommit(asAnyone)
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', claims.sid)
    .where('refresh_id', '=', claims.jti)
    .where(isLive)
    .where(isRepeatable)
    .executeTakeFirst()
  return session !== undefined
}
