import { sql } from 'kysely'
import type { Database, Tx } from '../../../database/open.ts'
import { asAccount, asAnyone, asAnyoneOf } from '../../../database/scopes.ts'
import { UnsealError } from '../../../lib/sealed.ts'
import { Problem, problem } from '../../../problems.ts'
import { enqueueEmail } from '../../mail/outbox/enqueue.ts'

/**
 * Of one account, from all networks together: a caller who gets here knows its password, or has its session. Each is counted
 * apart, so that neither keeps the owner from the other: a thief of a session not from signing in, and a person who knows the
 * password not from a step-up.
 */
const ATTEMPTS_PER_HOUR = { sign_in: 10, step_up: 5 } as const
/** From so many wrong ones within an hour on, the owner is told, once an hour. */
const ATTEMPTS_NOTICED = 5

type AttemptPurpose = keyof typeof ATTEMPTS_PER_HOUR

export interface AttemptedFactor {
  accountId: string
  purpose: AttemptPurpose
}

/** A statement that adds an attempt of now for each of these accounts, unless it had as many as it may have in the hour before. */
export const countingAttempt = (purpose: AttemptPurpose, accounts: string) => `
  insert into second_factor_attempts as attempts (account_id, purpose, times)
  select account_id, '${purpose}', array[now()] from ${accounts}
  on conflict (account_id, purpose) do update
  set times = (now() || attempts.times)[1:${ATTEMPTS_PER_HOUR[purpose]}], updated_at = now()
  where coalesce(attempts.times[${ATTEMPTS_PER_HOUR[purpose]}] <= now() - interval '1 hour', true)
  returning account_id`

const COUNT_STEP_UP = countingAttempt('step_up', '(select $1::uuid as account_id) own')

/**
 * Counts an attempt at a step-up before it is looked at, so that parallel ones can't all pass. Throws 429 when there were too many.
 * A success takes its own attempt back: see `forgetAttempt`.
 */
export async function countStepUp(database: Database, accountId: string): Promise<void> {
  const counted = await database.query(asAnyoneOf(accountId), { sql: COUNT_STEP_UP, parameters: [accountId] })
  if (counted.length === 0) throw await tooManyAttempts(database, { accountId, purpose: 'step_up' })
}

export async function tooManyAttempts(database: Database, { accountId, purpose }: AttemptedFactor) {
  const parameters = [accountId, purpose, ATTEMPTS_PER_HOUR[purpose]]
  const [row] = await database.query<{ seconds: number }>(asAnyone, { sql: FIND_WAIT, parameters })
  const subject = { type: 'account', id: accountId, label: '' } as const
  return problem('too_many_attempts', { retryAfterSeconds: Math.max(1, row?.seconds ?? 1), subject })
}

const FIND_WAIT = `
  select ceil(extract(epoch from times[$3::int] + interval '1 hour' - now()))::int as seconds
  from second_factor_attempts where account_id = $1 and purpose = $2`

/** Called where the attempt was right: it counts no more. Wrong ones do. */
export async function forgetAttempt(tx: Tx, { accountId, purpose }: AttemptedFactor): Promise<void> {
  await tx
    .updateTable('second_factor_attempts')
    .set({ times: sql<string[]>`times[2:]` })
    .where('account_id', '=', accountId)
    .where('purpose', '=', purpose)
    .execute()
}

/**
 * Makes an attempt that was counted. Where it is wrong, and was not the first one, the owner of the account is told. What fails for
 * another reason, by a rule or a fault of ours, was no wrong second factor, and counts no more; except a secret that can't be read,
 * because the code was compared with that of the other app.
 */
export async function countingWrongAlone<Result>(
  database: Database,
  attempted: AttemptedFactor,
  attempt: () => Promise<Result>,
): Promise<Result> {
  try {
    return await attempt()
  } catch (error) {
    if (error instanceof Problem && error.code === 'second_factor_wrong') await notifyOfAttempts(database, attempted)
    else if (!(error instanceof UnsealError))
      await forgetAttempt(database.autocommit(asAccount(attempted.accountId)), attempted)
    throw error
  }
}

/** The email is never withheld, because it tells of a password that is known to another person. */
async function notifyOfAttempts(database: Database, { accountId, purpose }: AttemptedFactor): Promise<void> {
  await database.write(asAccount(accountId), async (tx) => {
    const { rows } = await sql<{ email: string; name: string; locale: string }>`
      update second_factor_attempts set notified_at = now() from accounts
      where account_id = ${accountId} and purpose = ${purpose} and accounts.id = account_id
        and times[${sql.lit(ATTEMPTS_NOTICED)}] > now() - interval '1 hour'
        and coalesce(notified_at <= now() - interval '1 hour', true)
      returning email, name, locale`.execute(tx)
    for (const owner of rows) await enqueueEmail(tx, 'second_factor_guessed', owner, {})
  })
}
