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
import { ACCIDENT_SECONDS, rejectReusedToken } from './refresh-reuse.ts'

/**
 * Every exchange is answered this much after it was written, and on this node not before as long has passed without
 * another request for it. Whoever came before the answer came at the same time and gets the same pair: tabs that race.
 * Whoever comes after it holds a spent token. See docs/decisions/0004-refresh-tokens.md.
 */
const OVERLAP_MS = 10
const OVERLAP_MS_MAX = 500

/** Of one exchange; more tabs than this do not race. */
const KEYS_MAX = 20

interface Exchanged {
  pair: TokenPair
  /** The same as was answered before to the same `Idempotency-Key`. */
  isRepetition: boolean
}

type Exchange = (refreshToken: string, caller: RequestInfo) => Promise<Exchanged>

/** Exchanges a refresh token, once, for a new pair. Requests that overlap on this node share one exchange. */
export function createExchange(deps: Deps): Exchange {
  const underWay = new Map<string, { exchanged: Promise<Exchanged>; lastArrival: number }>()
  return async (refreshToken, caller) => {
    const claims = readToken(deps.keys, 'rt+jwt', refreshToken)
    if (!claims || claims.exp * 1000 <= Date.now()) throw problem('refresh_token_invalid')
    const arrival = performance.now()
    // A key of one's own is remembered by an exchange of one's own; the database gives both the same pair.
    const name = `${claims.jti} ${caller.idempotencyKey ?? ''}`
    const joined = underWay.get(name)
    if (joined) {
      joined.lastArrival = arrival
      return joined.exchanged
    }
    const quiet = () => performance.now() - (underWay.get(name)?.lastArrival ?? arrival)
    const exchanged = exchange(deps, claims, caller, quiet).finally(() => underWay.delete(name))
    underWay.set(name, { exchanged, lastArrival: arrival })
    return exchanged
  }
}

async function exchange(deps: Deps, claims: Claims, caller: RequestInfo, quiet: () => number): Promise<Exchanged> {
  const key = caller.idempotencyKey && createHash('sha256').update(caller.idempotencyKey).digest('base64url')
  const rotated = await rotate(deps, claims, key)
  const session = rotated ?? (await successorOf(deps, claims, key, caller))
  const since = performance.now()
  // Timers may fire a little early, hence the 2.
  do await pause(OVERLAP_MS + 2)
  while (quiet() < OVERLAP_MS && performance.now() - since < OVERLAP_MS_MAX)
  return { pair: createTokenPair(deps.keys, session), isRepetition: key !== undefined && !rotated }
}

/** One conditional statement: of any number at once, exactly one finds the token unspent. */
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
        where spent.value::timestamptz > now() - make_interval(secs => ${ACCIDENT_SECONDS}))`,
    })
    .where('id', '=', sid)
    .where('account_id', '=', sub)
    .where('refresh_id', '=', jti)
    .where(isLive)
    .returning(tokenColumns)
    .executeTakeFirst()
}

/** The token is spent: the pair that it was spent for, when this request overlapped with or repeats the one that spent it. */
async function successorOf(
  deps: Deps,
  claims: Claims,
  key: string | undefined,
  caller: RequestInfo,
): Promise<TokenSource> {
  const { sid, sub, jti } = claims
  const elapsedAtSending = caller.elapsedMs()
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

  // The database looked at its clock half-way between our sending and its answer, near enough.
  const elapsed = (elapsedAtSending + caller.elapsedMs()) / 2
  const overlapped = session.msSinceRotation - elapsed <= OVERLAP_MS
  const hasKey = key !== undefined && session.rotation_keys.includes(key)
  if (session.previous_refresh_id === jti && (overlapped || (hasKey && session.isRepeatable))) {
    if (key && !hasKey) await rememberKey(deps, session, key)
    return session
  }
  return rejectReusedToken(deps, claims, key, caller)
}

/** The request that lost the race may lose its answer too, and be repeated with its own key. */
async function rememberKey({ database }: Deps, { id, refresh_id }: TokenSource, key: string): Promise<void> {
  await database
    .autocommit(asAnyone)
    .updateTable('sessions')
    .set({ rotation_keys: sql`array_append(rotation_keys, ${key}::text)` })
    .where('id', '=', id)
    .where('refresh_id', '=', refresh_id)
    .where(sql<boolean>`cardinality(rotation_keys) < ${KEYS_MAX}`)
    .execute()
}
