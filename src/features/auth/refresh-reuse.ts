import { sql } from 'kysely'
import type { RequestInfo } from '../../access/actors.ts'
import type { EmailLimits } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import { asAnyoneWith } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import type { Claims } from '../../lib/tokens.ts'
import { problem } from '../../problems.ts'
import { revokeSessions } from '../accounts/revoke-sessions.ts'
import { isLive } from '../accounts/sessions.ts'
import { type AuditActor, record, recordRefusal } from '../audit/records.ts'
import type { Subject } from '../audit/subjects.ts'
import { enqueueEmailWithinLimits, noticeLimits } from '../mail/outbox/enqueue.ts'
import { isRecent } from './refresh-replay.ts'

/** Reuse of a refresh token this soon after its exchange counts as an accident, later reuse as theft. */
export const ACCIDENTAL_REUSE_SECONDS = 10

/**
 * Always refuses the request, but commits the consequences of the reuse. The session is read again under its lock,
 * because another request may have changed it since the caller read it.
 */
export async function rejectReusedToken(
  { config, database }: Deps,
  claims: Claims,
  key: string | undefined,
  caller: RequestInfo,
): Promise<never> {
  await database.write(asAnyoneWith('used token', claims.sid), async (tx) => {
    const session = await lockSession(tx, claims)
    if (!session) return
    const { name, email, locale, isNotified } = session
    const actor = { ...caller, accountId: claims.sub, name, email }
    const owner = { name, email, locale, isNotified, limits: config.emailLimits }
    await handlers[classifyReuse(session, claims, key)](tx, actor, claims, owner)
  })
  throw problem('refresh_token_invalid')
}

/** Undefined when the session has ended. */
async function lockSession(tx: Tx, { sub, sid, jti }: Claims) {
  return tx
    .selectFrom('sessions')
    .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
    .select(['accounts.name', 'accounts.email', 'accounts.locale'])
    .select(['sessions.previous_refresh_id', 'sessions.rotation_keys', isRecent.as('isRecent')])
    .select(wasExchangedJustNow(jti).as('wasExchangedJustNow'))
    .select(sql<boolean>`sessions.reuse_notified_at is not null`.as('isNotified'))
    .where('sessions.id', '=', sid)
    .where('sessions.account_id', '=', sub)
    .where('sessions.refresh_id', '!=', jti)
    .where(isLive)
    .forNoKeyUpdate('sessions')
    .executeTakeFirst()
}

const wasExchangedJustNow = (id: string) => sql<boolean>`exists (
  select from unnest(
    sessions.previous_refresh_id || sessions.recent_ids, sessions.rotated_at || sessions.recent_times
  ) as exchanged (id, time)
  where exchanged.id = ${id} and exchanged.time > now() - make_interval(secs => ${ACCIDENTAL_REUSE_SECONDS}))`

type LockedSession = NonNullable<Awaited<ReturnType<typeof lockSession>>>

/**
 * `outdated` and `lost` are retries of the exchange itself, whose response can no longer be replayed; a `lost` one comes
 * so late that the first response can't have arrived. In the other cases another request exchanged the token.
 */
type Reuse = 'outdated' | 'lost' | 'accident' | 'theft'

function classifyReuse(session: LockedSession, { jti }: Claims, key: string | undefined): Reuse {
  const isRetry = key !== undefined && session.previous_refresh_id === jti && session.rotation_keys.includes(key)
  if (isRetry) return session.isRecent ? 'outdated' : 'lost'
  return session.wasExchangedJustNow ? 'accident' : 'theft'
}

interface Owner {
  name: string
  email: string
  locale: string
  /** Whether the owner has already been notified of reuse in this session. */
  isNotified: boolean
  limits: EmailLimits
}

type ReuseHandler = (tx: Tx, actor: AuditActor, claims: Claims, owner: Owner) => Promise<void>

const handlers: Record<Reuse, ReuseHandler> = {
  outdated: (tx, actor, claims) => recordRefusedRefresh(tx, actor, claims),
  async lost(tx, actor, { sub, sid }) {
    await revokeSessions(tx, sub, 'response_lost', { only: [sid] })
    await record(tx, actor, 'sessions.end_lost', sessionSubject(sid))
  },
  async accident(tx, actor, claims, owner) {
    await recordRefusedRefresh(tx, actor, claims)
    await notifyOnce(tx, claims, owner, { ended: 'no' })
  },
  async theft(tx, actor, claims, owner) {
    await revokeSessions(tx, claims.sub, 'refresh_token_reused', { only: [claims.sid] })
    await record(tx, actor, 'sessions.end_stolen', sessionSubject(claims.sid))
    await notifyOnce(tx, claims, owner, { ended: 'yes' })
  },
}

const recordRefusedRefresh = (tx: Tx, actor: AuditActor, { sid }: Claims) =>
  recordRefusal(tx, actor, 'sessions.refresh', 'refresh_token_invalid', sessionSubject(sid))

/**
 * Notifies the owner by email, once for each session. The refused request may come from the thief or from the owner, whose
 * app only asks for the password again, so without the email the owner would not learn of the theft. An account can create
 * any number of sessions and its address may belong to another person, so the email is withheld from a mailbox that got
 * ten within the hour; the next reuse in the session tries again.
 */
async function notifyOnce(tx: Tx, { sid }: Claims, owner: Owner, params: { ended: 'yes' | 'no' }): Promise<void> {
  const { isNotified, limits, ...recipient } = owner
  if (isNotified) return

  const { retryAfterSeconds } = await enqueueEmailWithinLimits(
    tx,
    noticeLimits(limits),
    'refresh_token_reused',
    recipient,
    params,
  )
  if (retryAfterSeconds) return
  await tx.updateTable('sessions').set({ reuse_notified_at: sql`now()` }).where('id', '=', sid).execute()
}

const sessionSubject = (id: string): Subject => ({ type: 'session', id, label: '' })
