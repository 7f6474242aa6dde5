import { sql } from 'kysely'
import type { Database, Tx } from '../../../database/open.ts'
import { asAnyoneWith } from '../../../database/scopes.ts'
import { newId } from '../../../lib/ids.ts'
import type { PasswordKind, StoredPassword } from '../passwords.ts'
import { credentialsVersionOf } from '../sessions.ts'
import { countingAttempt, tooManyAttempts } from './attempts.ts'

const CHALLENGE_MINUTES = 5
/** Then the challenge is gone. How many challenges there are does not matter: attempts also count for their account. */
const ATTEMPTS_MAX = 5

/** A sign-in that waits for its second factor. It opens nothing by itself. */
export interface SignInChallenge {
  id: string
  accountId: string
  passwordKind: PasswordKind
  /** What the password was worth: see passwordClassOf. */
  passwordClass: number | null
  /** The account's when the password was right: with another one the sign-in begins anew. */
  credentialsVersion: number
  /** What a passkey has to sign; null: the account has none. */
  webauthn: Buffer | null
}

export async function createSignInChallenge(
  tx: Tx,
  accountId: string,
  {
    kind,
    passwordClass,
    webauthn,
    network,
  }: Pick<StoredPassword, 'kind'> & { passwordClass: number | null; webauthn: Buffer | null; network: string },
): Promise<{ id: string; expires_at: string }> {
  return tx
    .insertInto('challenges')
    .values({
      id: newId(),
      purpose: 'sign_in',
      account_id: accountId,
      password_kind: kind,
      password_class: passwordClass,
      credentials_version: credentialsVersionOf(accountId),
      webauthn,
      network,
      expires_at: sql<string>`now() + make_interval(mins => ${CHALLENGE_MINUTES})`,
    })
    .returning(['id', 'expires_at'])
    .executeTakeFirstOrThrow()
}

/**
 * Counts an attempt for the challenge and for its account, in one statement and before the answer is looked at. Undefined: the
 * challenge is unknown, used, expired, or was tried too often. Throws 429 when the account was.
 */
export async function tryChallenge(database: Database, id: string): Promise<SignInChallenge | undefined> {
  const [row] = await database.query<SignInChallenge & { isCounted: boolean }>(asAnyoneWith('challenge', id), {
    sql: TRY,
    parameters: [id],
  })
  if (!row) return undefined
  const { isCounted, ...challenge } = row
  if (!isCounted) throw await tooManyAttempts(database, { accountId: challenge.accountId, purpose: 'sign_in' })
  return challenge
}

const TRY = `
  with challenge as (
    update challenges set attempts = attempts + 1
    where id = $1 and purpose = 'sign_in' and attempts < ${ATTEMPTS_MAX} and expires_at > now()
    returning id, account_id, password_kind, password_class, credentials_version, webauthn),
  counted as (${countingAttempt('sign_in', 'challenge')})
  select id, challenge.account_id as "accountId", password_kind as "passwordKind", password_class as "passwordClass",
    credentials_version as "credentialsVersion", webauthn,
    counted.account_id is not null as "isCounted"
  from challenge left join counted on true`

/** Deletes it in one conditional statement, so that of any number of right answers one succeeds. */
export async function useChallenge(tx: Tx, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('challenges')
    .where('id', '=', id)
    .where('expires_at', '>', sql<string>`now()`)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

export async function isChallengeOpen(tx: Tx, id: string): Promise<boolean> {
  return (await tx.selectFrom('challenges').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
}
