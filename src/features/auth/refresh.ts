import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { RequestInfo } from '../../access/actors.ts'
import { asAnyone, asAnyoneWith } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { newId } from '../../lib/ids.ts'
import { type Claims, readToken } from '../../lib/tokens.ts'
import { problem } from '../../problems.ts'
import { IS_USABLE } from '../accounts/passwords.ts'
import { IS_LIVE, isLive, tokenColumns } from '../accounts/sessions.ts'
import { createTokenPair, REFRESH_TOKEN_DAYS, type TokenPair, type TokenSource } from '../accounts/tokens.ts'
import { OngoingExchanges } from './ongoing-exchanges.ts'
import { isRepeatable } from './refresh-replay.ts'
import { ACCIDENTAL_REUSE_SECONDS, rejectReusedToken } from './refresh-reuse.ts'
import { UnansweredExchanges } from './unanswered-exchanges.ts'

/**
 * A request that reached another node this soon after the exchange, by the database's clock, counts as concurrent: the
 * answer was then just leaving. On the node of the exchange concurrent requests are known exactly.
 * See docs/decisions/0004-refresh-tokens.md.
 */
const NODES_OVERLAP_MS = 5

/** Idempotency keys stored for one exchange, one for each racing tab. */
const KEYS_MAX = 20

/** Exchanges of one session that are remembered, besides the last one, while they may be reused by accident. */
const RECENT_MAX = 20

interface Exchanged {
  pair: TokenPair
  /** The pair was made for another request with this `Idempotency-Key`. */
  isReplay: boolean
}

/** The new pair, and the session as it was stored. */
interface Rotation {
  session: TokenSource
  pair: TokenPair
}

type Exchange = (refreshToken: string | undefined, caller: RequestInfo) => Promise<Exchanged>

/** Exchanges a refresh token, once, for a new pair. Concurrent requests on this node share one exchange. A missing token is an invalid one. */
export function createExchange(deps: Deps): Exchange {
  const nodeId = newId()
  const unanswered = new UnansweredExchanges()
  const exchanges = new OngoingExchanges<Rotation | undefined, Exchanged>()
  return async (refreshToken = '', caller) => {
    const claims = readToken(deps.keys, 'rt+jwt', refreshToken)
    if (!claims || claims.exp * 1000 <= Date.now()) throw problem('refresh_token_invalid')
    const key = caller.idempotencyKey && createHash('sha256').update(caller.idempotencyKey).digest('base64url')
    const known = exchanges.find(claims.jti)
    const { rotation, answers } =
      known ?? exchanges.begin(claims.jti, rotate(deps, { claims, key, nodeId, unanswered }, caller.ip))
    const request = { claims, key, caller, nodeId, unanswered, owedId: unanswered.find(claims.jti), isFirst: !known }
    const answer = answers.get(key) ?? answerTo(deps, request, rotation)
    answers.set(key, answer)
    return answer
  }
}

interface ExchangedToken {
  claims: Claims
  key: string | undefined
  nodeId: string
  unanswered: UnansweredExchanges
}

interface ExchangeRequest extends ExchangedToken {
  caller: RequestInfo
  /** The refresh token of the pair that an earlier exchange of this one still owes, when it was committed. */
  owedId: string | undefined
  /** The exchange was begun by this request and stores its key. */
  isFirst: boolean
}

async function answerTo(
  deps: Deps,
  request: ExchangeRequest,
  rotation: Promise<Rotation | undefined>,
): Promise<Exchanged> {
  const { key, isFirst } = request
  const rotated = await rotation
  if (!rotated) {
    const session = await findReplayablePair(deps, request)
    return { pair: createTokenPair(deps.keys, session), isReplay: key !== undefined }
  }
  if (isFirst || key === undefined) return { pair: rotated.pair, isReplay: false }
  await addRotationKey(deps, rotated.session, key)
  return { pair: rotated.pair, isReplay: true }
}

/**
 * One conditional statement, so that of any number of concurrent requests exactly one exchanges the token. Undefined: it
 * was exchanged before.
 */
async function rotate(
  { database, keys }: Deps,
  { claims: { sub, sid, jti }, key, nodeId, unanswered }: ExchangedToken,
  ip: string,
): Promise<Rotation | undefined> {
  const refreshId = newId()
  const parameters = [sub, sid, jti, refreshId, key ? [key] : [], nodeId, ip]
  const [session] = await database
    .query<TokenSource>(asAnyoneWith('refresh token', sid), { sql: ROTATE, parameters })
    .catch((error) => {
      unanswered.add(jti, refreshId)
      throw error
    })
  return session && { session, pair: createTokenPair(keys, session) }
}

/** The exchange before this one is so recent that its token may still be reused by accident. */
const IS_PREVIOUS_RECENT = `(
  previous_refresh_id is not null and rotated_at > now() - make_interval(secs => ${ACCIDENTAL_REUSE_SECONDS}))`

/** A session of a temporary password can do nothing else, and ends with that password. */
const CAN_CHANGE_PASSWORD = `(not sessions.must_change_password or exists (
  select from passwords where passwords.account_id = sessions.account_id and kind <> 'chosen' and ${IS_USABLE}))`

/** A trigger notes the pause before it: see functions/note_longest_pause.sql. */
const ROTATE = `
  update sessions set
    refresh_id = $4, previous_refresh_id = refresh_id, rotation_keys = $5, rotated_by = $6,
    rotated_at = clock_timestamp(), last_used_at = now(), last_ip = $7,
    refresh_expires_at = least(now() + make_interval(days => ${REFRESH_TOKEN_DAYS}), expires_at),
    credentials_version = (select accounts.credentials_version from accounts where accounts.id = sessions.account_id),
    recent_ids = case when ${IS_PREVIOUS_RECENT} then (previous_refresh_id || recent_ids)[1:${RECENT_MAX}] else '{}' end,
    recent_times = case when ${IS_PREVIOUS_RECENT} then (rotated_at || recent_times)[1:${RECENT_MAX}] else '{}' end
  where account_id = $1 and id = $2 and refresh_id = $3 and ${IS_LIVE} and ${CAN_CHANGE_PASSWORD}
  returning ${tokenColumns.join(', ')}`

/** For a used token: returns the pair of its exchange to a concurrent request or a retry, and treats any other as reuse. */
async function findReplayablePair(deps: Deps, request: ExchangeRequest): Promise<TokenSource> {
  const { claims, key, caller, nodeId, owedId } = request
  const { sid, sub, jti } = claims
  const elapsed = caller.elapsedMs()
  const session = await deps.database
    .autocommit(asAnyone)
    .selectFrom('sessions')
    .select([...tokenColumns, 'previous_refresh_id', 'rotation_keys', 'rotated_by'])
    .select(sql<number>`extract(epoch from clock_timestamp() - rotated_at)::float8 * 1000`.as('msSinceRotation'))
    .select(isRepeatable.as('isRepeatable'))
    .where('id', '=', sid)
    .where('account_id', '=', sub)
    .where('refresh_id', '!=', jti)
    .where(isLive)
    .executeTakeFirst()
  if (!session) throw problem('refresh_token_invalid')

  // The database read its clock later than the query was sent, by an unknown time: so the request counts as later, too.
  const overlapped = session.rotated_by !== nodeId && session.msSinceRotation - elapsed <= NODES_OVERLAP_MS
  const hasKey = key !== undefined && session.rotation_keys.includes(key)
  const isOwed = session.refresh_id === owedId
  if (session.previous_refresh_id === jti && (overlapped || ((hasKey || isOwed) && session.isRepeatable))) {
    if (key && !hasKey) await addRotationKey(deps, session, key)
    if (isOwed) request.unanswered.forget(jti)
    return session
  }
  return rejectReusedToken(deps, claims, key, caller)
}

/** A concurrent request that did not make the exchange may lose its response too and retry with its own key. */
async function addRotationKey({ database }: Deps, { id, refresh_id }: TokenSource, key: string): Promise<void> {
  await database
    .autocommit(asAnyoneWith('refresh token', id))
    .updateTable('sessions')
    .set({ rotation_keys: sql`array_append(rotation_keys, ${key}::text)` })
    .where('id', '=', id)
    .where('refresh_id', '=', refresh_id)
    .where(sql<boolean>`cardinality(rotation_keys) < ${KEYS_MAX}`)
    .execute()
}
