import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import type { RequestInfo } from '../../access/actors.ts'
import { asAnyone } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { newId } from '../../lib/ids.ts'
import { type Claims, readToken } from '../../lib/tokens.ts'
import { problem } from '../../problems.ts'
import { credentialsVersionOf, isLive, tokenColumns } from '../accounts/sessions.ts'
import { createTokenPair, REFRESH_TOKEN_DAYS, type TokenPair, type TokenSource } from '../accounts/tokens.ts'
import { isRepeatable } from './refresh-replay.ts'
import { ACCIDENTAL_REUSE_SECONDS, rejectReusedToken } from './refresh-reuse.ts'

/**
 * The response to an exchange waits for this time after the exchange is written and after the last other request with the
 * same token on this node. Requests that arrive during the wait count as concurrent, such as those of racing tabs, and get
 * the same pair. Requests that arrive later reuse the token. See docs/decisions/0004-refresh-tokens.md.
 */
const OVERLAP_MS = 10
const OVERLAP_MS_MAX = 500

/** Idempotency keys stored for one exchange, one for each racing tab. */
const KEYS_MAX = 20

interface Exchanged {
  pair: TokenPair
  /** The pair was returned before for the same `Idempotency-Key`. */
  isReplay: boolean
}

type Exchange = (refreshToken: string, caller: RequestInfo) => Promise<Exchanged>

/** Exchanges a refresh token, once, for a new pair. Concurrent requests on this node share one exchange. */
export function createExchange(deps: Deps): Exchange {
  const pending = new Map<string, { exchanged: Promise<Exchanged>; lastArrival: number }>()
  return async (refreshToken, caller) => {
    const claims = readToken(deps.keys, 'rt+jwt', refreshToken)
    if (!claims || claims.exp * 1000 <= Date.now()) throw problem('refresh_token_invalid')
    const arrival = performance.now()
    // Requests with different keys don't share an exchange, so that each key is stored; the database gives both the same pair.
    const name = `${claims.jti} ${caller.idempotencyKey ?? ''}`
    const joined = pending.get(name)
    if (joined) {
      joined.lastArrival = arrival
      return joined.exchanged
    }
    const msSinceLastArrival = () => performance.now() - (pending.get(name)?.lastArrival ?? arrival)
    const exchanged = exchange(deps, claims, caller, msSinceLastArrival).finally(() => pending.delete(name))
    pending.set(name, { exchanged, lastArrival: arrival })
    return exchanged
  }
}

async function exchange(
  deps: Deps,
  claims: Claims,
  caller: RequestInfo,
  msSinceLastArrival: () => number,
): Promise<Exchanged> {
  const key = caller.idempotencyKey && createHash('sha256').update(caller.idempotencyKey).digest('base64url')
  const rotated = await rotate(deps, claims, key)
  const session = rotated ?? (await findReplayablePair(deps, claims, key, caller))
  const since = performance.now()
  // The 2 ms are added because timers may fire slightly early.
  do await pause(OVERLAP_MS + 2)
  while (msSinceLastArrival() < OVERLAP_MS && performance.now() - since < OVERLAP_MS_MAX)
  return { pair: createTokenPair(deps.keys, session), isReplay: key !== undefined && !rotated }
}

/** One conditional statement, so that of any number of concurrent requests exactly one exchanges the token. */
async function rotate(
  { database }: Deps,
  { sub, sid, jti }: Claims,
  key: string | undefined,
): Promise<TokenSource | undefined> {
  return database
    .autocommit(asAnyone)
    .updateTable('sessions')
    .set({
      refresh_id: newId(),
      previous_refresh_id: jti,
      rotation_keys: key ? [key] : [],
      rotated_at: sql`clock_timestamp()`,
      credentials_version: credentialsVersionOf(sub),
      last_used_at: sql`now()`,
      refresh_expires_at: sql`least(now() + make_interval(days => ${REFRESH_TOKEN_DAYS}), expires_at)`,
      recently_rotated: sql`(
        select coalesce(jsonb_object_agg(spent.key, spent.value), '{}') || jsonb_build_object(refresh_id, clock_timestamp())
        from jsonb_each_text(recently_rotated) as spent
        where spent.value::timestamptz > now() - make_interval(secs => ${ACCIDENTAL_REUSE_SECONDS}))`,
    })
    .where('id', '=', sid)
    .where('account_id', '=', sub)
    .where('refresh_id', '=', jti)
    .where(isLive)
    .returning(tokenColumns)
    .executeTakeFirst()
}

/** For a used token: returns the pair of its exchange to a concurrent request or a retry, and treats any other as reuse. */
async function findReplayablePair(
  deps: Deps,
  claims: Claims,
  key: string | undefined,
  caller: RequestInfo,
): Promise<TokenSource> {
  const { sid, sub, jti } = claims
  const elapsedBeforeQuery = caller.elapsedMs()
  const session = await deps.database
    .autocommit(asAnyone)
    .selectFrom('sessions')
    .select([...tokenColumns, 'previous_refresh_id', 'rotation_keys'])
    .select(sql<number>`extract(epoch from clock_timestamp() - rotated_at)::float8 * 1000`.as('msSinceRotation'))
    .select(isRepeatable.as('isRepeatable'))
    .where('id', '=', sid)
    .where('account_id', '=', sub)
    .where('refresh_id', '!=', jti)
    .where(isLive)
    .executeTakeFirst()
  if (!session) throw problem('refresh_token_invalid')

  // The database read its clock about half-way between the query and its result.
  const elapsed = (elapsedBeforeQuery + caller.elapsedMs()) / 2
  const overlapped = session.msSinceRotation - elapsed <= OVERLAP_MS
  const hasKey = key !== undefined && session.rotation_keys.includes(key)
  if (session.previous_refresh_id === jti && (overlapped || (hasKey && session.isRepeatable))) {
    if (key && !hasKey) await addRotationKey(deps, session, key)
    return session
  }
  return rejectReusedToken(deps, claims, key, caller)
}

/** A concurrent request that did not make the exchange may lose its response too and retry with its own key. */
async function addRotationKey({ database }: Deps, { id, refresh_id }: TokenSource, key: string): Promise<void> {
  await database
    .autocommit(asAnyone)
    .updateTable('sessions')
    .set({ rotation_keys: sql`array_append(rotation_keys, ${key}::text)` })
    .where('id', '=', id)
    .where('refresh_id', '=', refresh_id)
    .where(sql<boolean>`cardinality(rotation_keys) < ${KEYS_MAX}`)
    .execute()
}
