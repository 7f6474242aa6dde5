import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../../access/actors.ts'
import type { Tx } from '../../database/open.ts'
import { problem } from '../../problems.ts'
import type { User } from './schemas.ts'

/**
 * Whatever changes an account's address, passwords or links takes this lock first, so that such changes follow one
 * another and never wait for each other in a circle. Signing in takes it only to drop a temporary password.
 */
export async function lockAccount(tx: Tx, accountId: string) {
  return tx
    .selectFrom('accounts')
    .select(['id', 'email', 'pending_email', 'name', 'phone', 'avatar_url', 'position'])
    .select(['document_type', 'document_number', 'timezone', 'locale', 'password_shown_at'])
    .where('id', '=', accountId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
}
/**
 * The same for the actor's own account, whose session may have ended since the request began: a client can take its time
 * over a body.
 */
export async function lockOwnAccount(tx: Tx, { accountId, sessionId }: Actor) {
  const account = await lockAccount(tx, accountId)
  const session = await tx
    .selectFrom('sessions')
    .select('id')
    .where('id', '=', sessionId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  if (!session) throw problem('token_invalid')
  return account
}

export type Account = Awaited<ReturnType<typeof lockAccount>>

/** A change of address that somebody else may have asked for is off. */
export async function dropPendingEmail(tx: Tx, accountId: string): Promise<void> {
  await tx.updateTable('accounts').set({ pending_email: null }).where('id', '=', accountId).execute()
}

/** A secret that was mailed to the account's address has been used: a password that others have seen counts no more. */
export const proven = { email_verified_at: sql<string>`coalesce(email_verified_at, now())`, password_shown_at: null }

export async function markEmailProven(tx: Tx, accountId: string): Promise<void> {
  await tx
    .updateTable('accounts')
    .set(proven)
    .where('id', '=', accountId)
    .where('email_verified_at', 'is', null)
    .execute()
}

/**
 * An administrator has seen a password of the account: who signs in with it need not be the owner of the address, so no
 * company opens for the account by an earlier proof.
 */
export async function markPasswordShown(tx: Tx, accountId: string): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({ email_verified_at: null, password_shown_at: sql`now()` })
    .where('id', '=', accountId)
    .execute()
}

/** For what would make an account more than its company's: who holds its password need not be the owner of its mailbox. */
export function assertNotShown({ password_shown_at }: Pick<Account, 'password_shown_at'>): void {
  if (password_shown_at !== null) throw problem('email_verification_required')
}

export async function getUser(tx: Tx, accountId: string, sessionId: string): Promise<User> {
  const { rows } = await selectUser(accountId, sessionId, sql`null`).execute(tx)
  return toUser(rows[0] as UserRow<null>)
}

export type UserRow<More> = Omit<User, 'pending_email'> & { pending_email: string | null; more: More }

/**
 * `must_change_password` belongs to the session: a temporary password that somebody else asked for locks nobody out.
 * Written as SQL, and with room for more, because it is part of the request that front ends send most.
 */
export const selectUser = <More>(accountId: string, sessionId: string, more: RawBuilder<More>) => sql<UserRow<More>>`
  select accounts.id, email, name, phone, avatar_url, position, document_type, document_number, timezone, locale,
    email_verified_at is not null as email_verified, sessions.must_change_password, accounts.created_at, pending_email,
    ${more} as more
  from accounts join sessions on sessions.account_id = accounts.id
  where accounts.id = ${accountId} and sessions.id = ${sessionId}`

/** Without `pending_email` when none is pending. */
export function toUser({ pending_email, more: _, ...user }: UserRow<unknown>): User {
  return pending_email ? { ...user, pending_email } : user
}
