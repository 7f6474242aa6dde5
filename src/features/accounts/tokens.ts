import type { Keys } from '../../lib/keys.ts'
import { signToken } from '../../lib/tokens.ts'

export const ACCESS_TOKEN_SECONDS = 900
/** Each exchange gives a new one, within the session's 30 days. */
export const REFRESH_TOKEN_DAYS = 7
const ACCESS_ID_BYTES = 16

export interface TokenPair {
  accessToken: string
  refreshToken: string
}

/** The session's columns in its tokens. The same row gives identical tokens, because their signatures are deterministic. */
export interface TokenSource {
  id: string
  account_id: string
  refresh_id: string
  rotated_at: string
  refresh_expires_at: string
  must_change_password: boolean
}

export function createTokenPair(keys: Keys, session: TokenSource): TokenPair {
  const issuedAt = secondsOf(session.rotated_at)
  const common = { sub: session.account_id, sid: session.id, iat: issuedAt }
  return {
    accessToken: signToken(
      keys,
      'at+jwt',
      { ...common, jti: accessIdOf(keys, session), exp: issuedAt + ACCESS_TOKEN_SECONDS },
      { mayOnlyChangePassword: session.must_change_password },
    ),
    refreshToken: signToken(keys, 'rt+jwt', {
      ...common,
      jti: session.refresh_id,
      exp: secondsOf(session.refresh_expires_at),
    }),
  }
}

/** A MAC, so that an access token does not reveal the id of the refresh token. */
const accessIdOf = ({ current }: Keys, { refresh_id }: TokenSource) =>
  current.mac('access token id v1', refresh_id).toString('base64url', 0, ACCESS_ID_BYTES)

const secondsOf = (timestamp: string) => Math.floor(Date.parse(timestamp) / 1000)
