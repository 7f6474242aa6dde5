import type { Actor } from '../../access/actors.ts'
import { asAccount } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { readToken } from '../../lib/tokens.ts'
import { revokeSessions } from '../accounts/revoke-sessions.ts'
import { record } from '../audit/records.ts'

/**
 * Revokes the caller's session and, when the refresh token belongs to another session of the same account, that one too.
 * A used, invalid, foreign or missing refresh token does not prevent signing out.
 */
export async function signOut({ database, keys }: Deps, actor: Actor, refreshToken = ''): Promise<void> {
  const claims = readToken(keys, 'rt+jwt', refreshToken)
  const only = [actor.sessionId, ...(claims?.sub === actor.accountId ? [claims.sid] : [])]
  await database.write(asAccount(actor.accountId), async (tx) => {
    await Promise.all([
      revokeSessions(tx, actor.accountId, 'signed_out', { only }),
      record(tx, actor, 'sessions.sign_out', { type: 'session', id: actor.sessionId, label: '' }),
    ])
  })
}
