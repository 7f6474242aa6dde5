import { sql } from 'kysely'
import type { RequestInfo } from '../../access/actors.ts'
import type { EmailLimits } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import { asAnyone } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import type { Claims } from '../../lib/tokens.ts'
import { problem } from '../../problems.ts'
import { alive, revokeSessions } from '../accounts/sessions.ts'
import { type AuditActor, record, recordRefusal } from '../audit/records.ts'
import type { Subject } from '../audit/subjects.ts'
import { enqueueWithinLimits, noticeLimits } from '../mail/outbox/enqueue.ts'
import { isRecent } from './refresh-replay.ts'

/** A spent token that is presented this soon after its exchange is taken for an accident, later for theft. */
export const ACCIDENT_SECONDS = 10

/**
 * Refuses a spent refresh token, and does what follows from it, which is committed although the request is refused. The
 * session is judged again under its lock, because it may have moved on since it was looked at.
 */
export async function rejectReusedToken(
  { config, database }: Deps,
  claims: Claims,
  key: string | undefined,
  caller: RequestInfo,
): Promise<never> {
  await database.write(asAnyone, async (tx) => {
    const session = await lockSession(tx, claims)
    if (!session) return
    const { name, email, locale, isNotified } = session
    const doer = { ...caller, accountId: claims.sub, name, email }
    const owner = { name, email, locale, isNotified, limits: config.emailLimits }
    await follow[verdictOn(session, claims, key)](tx, doer, claims, owner)
  })
  throw problem('refresh_token_invalid')
}

/** Undefined: the session has ended. */
async function lockSession(tx: Tx, { sub, sid, jti }: Claims) {
  return tx
    .selectFrom('sessions')
    .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
    .select(['accounts.name', 'accounts.email', 'accounts.locale'])
    .select(['sessions.previous_refresh_id', 'sessions.rotation_keys', isRecent.as('isRecent')])
    .select(isSpentLately(jti).as('isSpentLately'))
    .select(sql<boolean>`sessions.reuse_notified_at is not null`.as('isNotified'))
    .where('sessions.id', '=', sid)
    .where('sessions.account_id', '=', sub)
    .where('sessions.refresh_id', '!=', jti)
    .where(alive)
    .forNoKeyUpdate('sessions')
    .executeTakeFirst()
}

const isSpentLately = (id: string) => sql<boolean>`coalesce(
  (sessions.recently_rotated ->> ${id})::timestamptz > now() - make_interval(secs => ${ACCIDENT_SECONDS}), false)`

type Locked = NonNullable<Awaited<ReturnType<typeof lockSession>>>

/**
 * `outdated` and `lost`: the sender asks for the answer of the exchange again, which may no longer be given; `lost`: so
 * late that the answer can't have arrived. The others present a token that was exchanged by another request.
 */
type Verdict = 'outdated' | 'lost' | 'accident' | 'theft'

function verdictOn(session: Locked, { jti }: Claims, key: string | undefined): Verdict {
  const isRepetition = key !== undefined && session.previous_refresh_id === jti && session.rotation_keys.includes(key)
  if (isRepetition) return session.isRecent ? 'outdated' : 'lost'
  return session.isSpentLately ? 'accident' : 'theft'
}

interface Owner {
  name: string
  email: string
  locale: string
  /** Whether an email told of this session before. */
  isNotified: boolean
  limits: EmailLimits
}

type Follow = (tx: Tx, doer: AuditActor, claims: Claims, owner: Owner) => Promise<void>

const follow: Record<Verdict, Follow> = {
  outdated: (tx, doer, claims) => recordPresented(tx, doer, claims),
  async lost(tx, doer, { sub, sid }) {
    await revokeSessions(tx, sub, 'answer_lost', { only: [sid] })
    await record(tx, doer, 'sessions.end_lost', subjectOf(sid))
  },
  async accident(tx, doer, claims, owner) {
    await recordPresented(tx, doer, claims)
    await notifyOnce(tx, claims, owner, { ended: 'no' })
  },
  async theft(tx, doer, claims, owner) {
    await revokeSessions(tx, claims.sub, 'refresh_token_reused', { only: [claims.sid] })
    await record(tx, doer, 'sessions.end_stolen', subjectOf(claims.sid))
    await notifyOnce(tx, claims, owner, { ended: 'yes' })
  },
}

const recordPresented = (tx: Tx, doer: AuditActor, { sid }: Claims) =>
  recordRefusal(tx, doer, 'sessions.refresh', 'refresh_token_invalid', subjectOf(sid))

/**
 * By email, once for each session. Of the thief and the owner either may be the one who is refused, and the owner's
 * program just asks for the password again: without the email the owner would not learn of it. An account opens as many
 * sessions as it likes and its address may be somebody else's, so the email is withheld from a mailbox that has had ten
 * within the hour; the session is told of when a token of it is presented later.
 */
async function notifyOnce(tx: Tx, { sid }: Claims, owner: Owner, params: { ended: 'yes' | 'no' }): Promise<void> {
  const { isNotified, limits, ...recipient } = owner
  if (isNotified) return

  const { retryAfterSeconds } = await enqueueWithinLimits(
    tx,
    noticeLimits(limits),
    'refresh_token_reused',
    recipient,
    params,
  )
  if (retryAfterSeconds) return
  await tx.updateTable('sessions').set({ reuse_notified_at: sql`now()` }).where('id', '=', sid).execute()
}

const subjectOf = (id: string): Subject => ({ type: 'session', id, label: '' })
