import { sql } from 'kysely'
import type { Tx } from '../../database/open.ts'
import { newId } from '../../lib/ids.ts'
import type { Keys } from '../../lib/keys.ts'
import { challengeIdFrom, challengeToken } from '../../lib/secrets.ts'

/** How long the answer to a challenge may take. */
export const CHALLENGE_MINUTES = 5

/** What an answer is good for. Nothing that was asked for one purpose, or in one session, counts for another. */
interface Asked {
  purpose: 'passkey_sign_in' | 'enroll' | 'step_up'
  /** Left out: there is no session yet. */
  sessionId?: string
}

interface NewChallenge extends Asked {
  accountId?: string
  /** What an authenticator signs. */
  webauthn: Buffer
  network: string
}

/** Gives the token by which the answer names its challenge. */
export async function createChallenge(
  tx: Tx,
  keys: Keys,
  { purpose, accountId, sessionId, webauthn, network }: NewChallenge,
): Promise<string> {
  const id = newId()
  await tx
    .insertInto('challenges')
    .values({
      id,
      purpose,
      account_id: accountId ?? null,
      session_id: sessionId ?? null,
      webauthn,
      network,
      expires_at: sql<string>`now() + make_interval(mins => ${CHALLENGE_MINUTES})`,
    })
    .execute()
  return challengeToken(keys, id)
}

/** Uses the challenge up, whatever its answer is worth. Undefined: it was used, has expired, or was asked for something else. */
export async function useChallenge(
  tx: Tx,
  keys: Keys,
  token: string,
  { purpose, sessionId }: Asked,
): Promise<Buffer | undefined> {
  const id = challengeIdFrom(keys, token)
  if (!id) return undefined
  const used = await tx
    .deleteFrom('challenges')
    .where('id', '=', id)
    .where('purpose', '=', purpose)
    .where('session_id', 'is not distinct from', sessionId ?? null)
    .where('expires_at', '>', sql<string>`now()`)
    .returning('webauthn')
    .executeTakeFirst()
  return used?.webauthn ?? undefined
}
