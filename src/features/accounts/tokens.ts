import type { Keys } from '../../lib/keys.ts'
import { signToken } from '../../lib/tokens.ts'

const ACCESS_TOKEN_SECONDS = 900
const ACCESS_ID_BYTES = 16

export interface TokenPair {
  accessToken: string
  refreshToken: string
}

/** What a pair is made from; the same row gives the same pair, to the letter, because Ed25519 signatures are deterministic. */
export interface PairSource {
  id: string
  account_id: string
  refresh_id: string
  rotated_at: string
  refresh_expires_at: string
}

export function tokenPair(keys: Keys, session: PairSource): TokenPair {
  const issuedAt = secondsOf(session.rotated_at)
  const common = { sub: session.account_id, sid: session.id, iat: issuedAt }
  return {
    accessToken: signToken(keys, 'at+jwt', {
      ...common,
      jti: accessIdOf(keys, session),
      exp: issuedAt + ACCESS_TOKEN_SECONDS,
    }),
    refreshToken: signToken(keys, 'rt+jwt', {
      ...common,
      jti: session.refresh_id,
      exp: secondsOf(session.refresh_expires_at),
    }),
  }
}

/** Tells nothing of the refresh token: who sees an access token pass by learns no id that is worth anything. */
const accessIdOf = ({ current }: Keys, { refresh_id }: PairSource) =>
  current.mac('access token id v1', refresh_id).toString('base64url', 0, ACCESS_ID_BYTES)

const secondsOf = (timestamp: string) => Math.floor(Date.parse(timestamp) / 1000)
