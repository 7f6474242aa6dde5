import { sql, type UpdateObject } from 'kysely'
import type { Actor } from '../../access/actors.ts'
import { assertFresh } from '../../access/freshness.ts'
import { sessionWith } from '../../access/sessions.ts'
import { OutdatedReadError } from '../../database/errors.ts'
import { limitLockWait, restoreLockWait, retryWhenLocked } from '../../database/lock-wait.ts'
import type { Tx } from '../../database/open.ts'
import { statement } from '../../database/queries.ts'
import type { Schema } from '../../database/schema.ts'
import { enterAccount } from '../../database/scopes.ts'
import { problem } from '../../problems.ts'
import { findWaitToEnter } from './entered-companies.ts'
import { PROVED_EMAIL } from './mailbox-codes.ts'
import type { User } from './schemas.ts'

/**
 * Every change of an account's email address, passwords or links takes this lock first, and so does each sign-in: they run one
 * after another without deadlocks, and what ends all sessions misses none that is being created.
 */
export async function lockAccount(tx: Tx, accountId: string) {
  return underLock(tx, accountId).executeTakeFirstOrThrow(deletedMeanwhile)
}

/** The same; undefined: the account was deleted meanwhile. */
export async function findAndLockAccount(tx: Tx, accountId: string): Promise<Account | undefined> {
  return underLock(tx, accountId).executeTakeFirst()
}

const underLock = (tx: Tx, accountId: string) =>
  tx
    .selectFrom('accounts')
    .select(['id', 'email', 'pending_email', 'name', 'phone', 'avatar_url', 'position'])
    .select(['document_type', 'document_number', 'timezone', 'locale', 'email_verified_at', 'password_shown_at'])
    .select(['managed_by', 'disabled_at', 'has_second_factor', 'credentials_version'])
    .where('id', '=', accountId)
    .forNoKeyUpdate()

/** By an operator, as the last step of erasing a person. Read again, what led to the account is gone as well. */
const deletedMeanwhile = () => new OutdatedReadError({ cause: new Error('The account was deleted meanwhile') })

/**
 * Locks the actor's own account. Throws when the session was revoked since the request began, because a client may take
 * long to send the body, and when it has not proved recently what the route asks for: the account may have got a second
 * factor meanwhile.
 */
export async function lockOwnAccount(tx: Tx, actor: Actor) {
  const { accountId, sessionId, fresh } = actor
  // Sent together; the others begin when the first one has the lock, and see what was committed before.
  const [account, session] = await Promise.all([
    findAndLockAccount(tx, accountId),
    tx
      .selectFrom('sessions')
      .select(['id', PROVED_EMAIL.joining, PROVED_EMAIL.factor])
      .where('id', '=', sessionId)
      .where('revoked_at', 'is', null)
      .executeTakeFirst(),
    fresh && assertFresh(tx, actor, fresh),
  ])
  if (!account || !session) throw problem('token_invalid')
  const provedEmails = { joining: session[PROVED_EMAIL.joining], factor: session[PROVED_EMAIL.factor] }
  return { ...account, provedEmails }
}

/** A fraction of what those wait who need the company meanwhile, of whom several may be in front. It is tried again some times. */
const WAIT_TO_JOIN_MS = 200

/**
 * The same for a transaction that holds the lock of a company which the account wants to join. The company's own people wait for that, and
 * the account's row may be kept busy by its own requests, as many as its user likes.
 */
export async function lockAccountToJoin(tx: Tx, actor: Actor): Promise<JoiningAccount> {
  const [, , account, waitToEnter] = await Promise.all([
    enterAccount(tx, actor.accountId),
    limitLockWait(tx, WAIT_TO_JOIN_MS),
    lockOwnAccount(tx, actor),
    findWaitToEnter(tx),
    restoreLockWait(tx),
  ]).catch(retryWhenLocked)
  return { ...account, waitToEnter }
}

/** `provedEmails`: of which addresses this session has shown that its user reads the mailbox, for each purpose. */
export type OwnAccount = Awaited<ReturnType<typeof lockOwnAccount>>
/** `waitToEnter`: see `assertMayEnter`. */
export type JoiningAccount = OwnAccount & { waitToEnter: number }
export type Account = Awaited<ReturnType<typeof lockAccount>>

/** An intruder may have requested the change of address, so regaining control of the account cancels it. */
export async function cancelPendingEmail(tx: Tx, accountId: string): Promise<void> {
  await tx.updateTable('accounts').set({ pending_email: null }).where('id', '=', accountId).execute()
}

/** A write that has read its session before the recovery may end that much later, and is the intruder's as well. */
export const UNDER_WAY_SECONDS = 10

/** Its owner, or an operator, takes the account back from an intruder, who may have invited accomplices: see `standsBy`. */
export async function markRecovered(tx: Tx, accountId: string): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({ recovered_at: sql`clock_timestamp() + make_interval(secs => ${UNDER_WAY_SECONDS})`, pending_email: null })
    .where('id', '=', accountId)
    .execute()
}

/** Set when an emailed secret was used: only the owner of the address knew it, so no shown password counts any more. */
export const verifiedColumns = {
  email_verified_at: sql<string>`coalesce(email_verified_at, now())`,
  password_shown_at: null,
}

/**
 * Set when an emailed secret has replaced the password, which an administrator may have been shown (note_regained_account). Where the
 * address was never verified, a stranger may have signed up with it: what the account vouched for in companies that others have added
 * it to gives nothing (`standsBy`), until the end of the transaction (settle_vouching), which ends its sessions as well.
 */
export const regainedColumns = {
  ...verifiedColumns,
  regained_at: sql<string>`case when email_verified_at is null then clock_timestamp() else regained_at end`,
}

/**
 * Set where the person who chooses a password says that someone else may have used the account. Not with every new password: most people who
 * forget one have met no intruder, and their invitations stay. No recovery either, which counts from ten seconds later: the owner signs in at
 * once and may invite. An announced removal of the second factors stays, too, which may be those of the intruder.
 */
export const compromisedColumns = { vouches_from: sql<string>`clock_timestamp()` }

/** The same where the password is changed by who knows it. */
export async function markCompromised(tx: Tx, accountId: string): Promise<void> {
  await tx.updateTable('accounts').set(compromisedColumns).where('id', '=', accountId).execute()
}

/** False: it was verified before. */
export const markEmailVerified = (tx: Tx, accountId: string) => setUnlessVerified(tx, accountId, verifiedColumns)

/** The account has opened the company that created it, as employees do, whom it goes on managing. */
export const HAS_OPENED_CREATOR = sql<boolean>`exists (
  select from memberships where account_id = accounts.id and created_account and opened_at is not null)`

/**
 * The same where an emailed password has replaced the one before. What has opened the company that created the account before its mailbox has
 * spoken was another person, who was shown a password: as after a reset by link, the account has to open it anew.
 */
export const markRegained = (tx: Tx, accountId: string) =>
  setUnlessVerified(tx, accountId, {
    ...regainedColumns,
    reset_by_link_at: sql<string>`case when ${HAS_OPENED_CREATOR} then clock_timestamp() else reset_by_link_at end`,
  })

async function setUnlessVerified(
  tx: Tx,
  accountId: string,
  columns: UpdateObject<Schema, 'accounts'>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('accounts')
    .set(columns)
    .where('id', '=', accountId)
    .where('email_verified_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * The mailbox gets a password instead of one that an administrator was shown, who has been in the account with it perhaps. Before it is
 * used: until then the account has no other way in than the administrator's, which end as well.
 */
export async function endVouchingOfShown(tx: Tx, accountId: string): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({ vouches_from: sql`clock_timestamp()` })
    .where('id', '=', accountId)
    .where('password_shown_at', 'is not', null)
    .execute()
}

/**
 * Records that an administrator has seen a password of the account. The person who signs in with it may not be the owner
 * of the address, so its earlier verification no longer opens companies.
 */
export async function markPasswordShown(tx: Tx, accountId: string): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({ email_verified_at: null, password_shown_at: sql`now()` })
    .where('id', '=', accountId)
    .execute()
}

/**
 * Guards actions that reach beyond the company that created the account, such as owning a company, because an administrator
 * may know the password.
 */
export function assertPasswordNotShown({ password_shown_at }: Pick<Account, 'password_shown_at'>): void {
  if (password_shown_at !== null) throw problem('email_verification_required')
}

export async function getUser(tx: Tx, accountId: string, sessionId: string): Promise<User> {
  const [row] = await findUser(tx, accountId, sessionId)
  if (!row) throw problem('token_invalid')
  return userFrom(row)
}

export type UserRow = Omit<User, 'pending_email' | 'second_factor'> & {
  pending_email: string | null
  has_second_factor: boolean
}

/**
 * Columns for `sessionWith`: `must_change_password` is read from the session, so that a temporary password requested by
 * another person does not restrict existing sessions.
 */
export const USER_COLUMNS = `accounts.id, accounts.phone, accounts.avatar_url, accounts.position, accounts.document_type,
  accounts.document_number, accounts.timezone, accounts.locale, accounts.email_verified_at is not null as email_verified,
  accounts.created_at, accounts.pending_email`

const WITH_USER = sessionWith(USER_COLUMNS)
const findUser = statement<UserRow, [accountId: string, sessionId: string]>(WITH_USER)

/** Omits `pending_email` when no change of address is pending. */
export function userFrom(row: UserRow): User {
  const { id, email, name, phone, avatar_url, position, document_type, document_number, timezone, locale } = row
  const { email_verified, must_change_password, has_second_factor, created_at, pending_email } = row
  return {
    id,
    email,
    name,
    phone,
    avatar_url,
    position,
    document_type,
    document_number,
    timezone,
    locale,
    email_verified,
    must_change_password,
    second_factor: has_second_factor,
    created_at,
    ...(pending_email !== null && { pending_email }),
  }
}
