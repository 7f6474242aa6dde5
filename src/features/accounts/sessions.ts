import { sql } from 'kysely'
import type { Actor, RequestInfo } from '../../access/actors.ts'
import type { Tx } from '../../database/open.ts'
import { findPage } from '../../database/paging.ts'
import { deviceFrom } from '../../lib/devices.ts'
import { newId } from '../../lib/ids.ts'
import { UNKNOWN_NETWORK } from '../../lib/networks.ts'
import type { Page } from '../../lib/paging.ts'
import { problem } from '../../problems.ts'
import { record } from '../audit/records.ts'
import { accountSubject } from '../audit/subjects.ts'
import type { PasskeyFactor, Proof, SecondFactor } from './proofs.ts'
import { endExcessSessions, revokeSessions } from './revoke-sessions.ts'
import type { Session, SessionQuery } from './schemas.ts'
import { countCreatedSession } from './session-counts.ts'
import { REFRESH_TOKEN_DAYS, type TokenSource } from './tokens.ts'

/** A session expires after this long, however often it is refreshed. */
const LIFETIME_DAYS = 30

export const tokenColumns = [
  'id',
  'account_id',
  'refresh_id',
  'rotated_at',
  'refresh_expires_at',
  'must_change_password',
] as const

/** The session has not ended, and its refresh token can still be exchanged. */
export const IS_LIVE = `(sessions.revoked_at is null
  and least(sessions.refresh_expires_at, sessions.expires_at) > now())`
export const isLive = sql<boolean>`${sql.raw(IS_LIVE)}`

/**
 * Counts the changes of the account's passwords and address. A session keeps the version of its last token pair. Where the account
 * was deleted, the foreign key of what is written refuses it.
 */
export const credentialsVersionOf = (accountId: string) =>
  sql<number>`coalesce((select accounts.credentials_version from accounts where accounts.id = ${accountId}), 0)`

/** Its statements are sent together. */
export async function createSession(
  tx: Tx,
  accountId: string,
  caller: RequestInfo,
  { methods, mustChangePassword, passwordClass, second }: Proof,
  { id = newId() } = {},
): Promise<TokenSource> {
  const session = tx
    .insertInto('sessions')
    .values({
      id,
      account_id: accountId,
      must_change_password: mustChangePassword,
      methods: [...methods],
      password_class: passwordClass,
      second_factor_at: second ? sql`now()` : null,
      second_factor_ids: factorIdsOf(accountId, second),
      refresh_id: newId(),
      credentials_version: credentialsVersionOf(accountId),
      refresh_expires_at: sql`now() + make_interval(days => ${REFRESH_TOKEN_DAYS})`,
      expires_at: sql`now() + make_interval(days => ${LIFETIME_DAYS})`,
      user_agent: caller.userAgent,
      ip: caller.ip,
    })
    .returning(tokenColumns)
    .executeTakeFirstOrThrow()
  const [created] = await Promise.all([
    session,
    endExcessSessions(tx, accountId),
    addKnownNetwork(tx, accountId, caller.network),
  ])
  countCreatedSession(tx)
  return created
}

/** Kept for the session, which ends with each of them. Recovery codes count as one factor, by the id of their account. */
const factorIdsOf = (accountId: string, second: Pick<SecondFactor, 'factorId'> | undefined) =>
  second ? [second.factorId ?? accountId] : []

/** In a statement over `sessions`: with those that the session has not proved before, in the order of their first proof. */
const withFactors = (factorIds: string[]) =>
  sql<string[]>`second_factor_ids || array(
    select unnest(${factorIds}::uuid[]) except select unnest(second_factor_ids))`

/** When a session last proved its factors. */
export interface ProofTimes {
  authenticated_at: string
  second_factor_at: string | null
}

/**
 * The session has proved a second factor, or without one the password, or with a passkey both, once more. Throws when it was
 * revoked meanwhile.
 */
export async function renewProof(
  tx: Tx,
  { accountId, sessionId }: Actor,
  second: SecondFactor | PasskeyFactor | undefined,
): Promise<ProofTimes> {
  const now = sql<string>`now()`
  const renewed = await tx
    .updateTable('sessions')
    .set({
      // What was before the proof, a company no longer asks about: see closed_by.
      longest_pause: '0',
      ...(second && {
        second_factor_at: now,
        second_factor_ids: withFactors(factorIdsOf(accountId, second)),
      }),
      ...((!second || 'isBothFactors' in second) && { authenticated_at: now }),
    })
    .where('id', '=', sessionId)
    .where('revoked_at', 'is', null)
    .returning(['authenticated_at', 'second_factor_at'])
    .executeTakeFirst()
  if (!renewed) throw problem('token_invalid')
  return renewed
}

/** As with sessions: nothing bounds the networks of an account, and each /64 of IPv6 is one. */
const NETWORKS_AT_ONCE = 250
/** Before all others, in the order of the database. */
const NO_NETWORK = '0.0.0.0/0'

/** Called at a change of password: the networks of an intruder's earlier sessions lose their privilege. */
export async function deleteKnownNetworks(
  tx: Tx,
  accountId: string,
  { except = NO_NETWORK }: { except?: string } = {},
): Promise<void> {
  for (let last: string | null = NO_NETWORK; last !== null; )
    last = await deleteNetworksAfter(tx, accountId, last, except)
}

/** The last one that was looked at; null: none is left behind it. */
async function deleteNetworksAfter(tx: Tx, accountId: string, after: string, except: string): Promise<string | null> {
  const { rows } = await sql<{ last: string | null }>`
    with found as materialized (
      select network from known_networks where account_id = ${accountId} and network > ${after}::cidr
      order by network limit ${sql.lit(NETWORKS_AT_ONCE)}),
    deleted as (
      delete from known_networks
      where account_id = ${accountId} and network in (select network from found) and network <> ${except}::cidr)
    select case when count(*) = ${sql.lit(NETWORKS_AT_ONCE)} then max(network)::text end as last from found`.execute(tx)
  return rows[0]?.last ?? null
}

/** From a known network the account can sign in even while failed attempts from elsewhere block its address. */
export async function addKnownNetwork(tx: Tx, accountId: string, network: string): Promise<void> {
  if (network === UNKNOWN_NETWORK) return
  await tx
    .insertInto('known_networks')
    .values({ account_id: accountId, network })
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'network'])
        .doUpdateSet({ last_sign_in_at: sql`now()` })
        // One write a day is precise enough.
        .where('known_networks.last_sign_in_at', '<', sql<string>`now() - interval '1 day'`),
    )
    .execute()
}

export async function listSessions(
  tx: Tx,
  actor: Actor,
  { sortBy, sortDir, ...page }: SessionQuery,
): Promise<Page<Session>> {
  const own = tx.selectFrom('sessions').where('account_id', '=', actor.accountId).where(isLive)
  const { items: rows, total } = await findPage(own, page, (sessions, total) =>
    sessions
      .select(total.as('total'))
      .select(['id', 'user_agent', sql<string>`host(ip)`.as('ip'), 'created_at', 'last_used_at'])
      .select(sql<string>`least(refresh_expires_at, expires_at)`.as('expires_at'))
      .orderBy(sortBy, sortDir)
      .orderBy('id', sortDir),
  )
  const items = rows.map((row) => ({ ...row, device: deviceFrom(row.user_agent), current: row.id === actor.sessionId }))
  return { items, total }
}

export async function revokeSession(tx: Tx, actor: Actor, sessionId: string): Promise<{ id: string }> {
  const ended = await revokeSessions(tx, actor.accountId, 'revoked_by_user', { only: [sessionId] })
  if (ended === 0) throw problem('session_not_found')
  await record(tx, actor, 'sessions.revoke', { type: 'session', id: sessionId, label: '' })
  return { id: sessionId }
}

export async function revokeOtherSessions(tx: Tx, actor: Actor): Promise<{ ended: number }> {
  const ended = await revokeSessions(tx, actor.accountId, 'revoked_by_user', { except: actor.sessionId })
  await record(tx, actor, 'sessions.revoke_others', accountSubject({ id: actor.accountId, email: actor.email }))
  return { ended }
}
