import { sql } from 'kysely'
import type { Tx } from './open.ts'

/** How long a key stands for its first request. */
export const IDEMPOTENCY_KEY_HOURS = 24

/** A request with an `Idempotency-Key`, and its response once it has one. */
export interface IdempotentRequest {
  fingerprint: Buffer
  /** Null while the request is in progress. */
  status: number | null
  /** Encrypted. */
  response: Buffer | null
  /** So recent that the response may be repeated although there is a secret in it. */
  isRecent: boolean
}

/**
 * Claims the key for one request: of any number of requests with one key exactly one gets a lease, which is the moment
 * until which it holds. Undefined: another request has the key. The statement locks the row of that request and so commits
 * behind it: a response is never repeated before the standby has what it says.
 */
export async function claimKey(
  tx: Tx,
  id: Buffer,
  fingerprint: Buffer,
  { leaseSeconds, lifetimeHours }: { leaseSeconds: number; lifetimeHours: number },
): Promise<string | undefined> {
  const { rows } = await sql<{ lease: string }>`
    insert into idempotent_requests as stored (id, fingerprint, claimed_until)
    values (${id}, ${fingerprint}, now() + make_interval(secs => ${leaseSeconds}))
    on conflict (id) do update
    set fingerprint = excluded.fingerprint, claimed_until = excluded.claimed_until, created_at = now(),
      status = null, response = null
    where stored.created_at < now() - make_interval(hours => ${lifetimeHours})
      or stored.status is null and stored.claimed_until < now() and stored.fingerprint = excluded.fingerprint
    returning claimed_until::text as lease`.execute(tx)
  return rows[0]?.lease
}

export async function findRequest(tx: Tx, id: Buffer, recentMinutes: number): Promise<IdempotentRequest | undefined> {
  return tx
    .selectFrom('idempotent_requests')
    .select(['fingerprint', 'status', 'response'])
    .select(sql<boolean>`created_at > now() - make_interval(mins => ${recentMinutes})`.as('isRecent'))
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Stores the response while the lease holds. False: another request has claimed the key meanwhile. */
export async function storeResponse(
  tx: Tx,
  id: Buffer,
  lease: string,
  { status, response }: { status: number; response: Buffer },
): Promise<boolean> {
  // Not a plain select: it writes, and must not travel on a connection that many reads share.
  const { rows } = await sql<{ stored: boolean }>`
    with completed as materialized (
      select complete_idempotent_request(${id}, ${lease}, ${status}::smallint, ${response}) as stored)
    select stored from completed`.execute(tx)
  return rows[0]?.stored === true
}

/** Releases a key whose request has no response; a stored one stays. */
export async function releaseKey(tx: Tx, id: Buffer, lease: string): Promise<void> {
  await tx
    .deleteFrom('idempotent_requests')
    .where('id', '=', id)
    .where('claimed_until', '=', lease)
    .where('status', 'is', null)
    .execute()
}

/** Forgets a response that is no longer true; one that was stored since stays. */
export async function forgetResponse(tx: Tx, id: Buffer, response: Buffer): Promise<void> {
  await tx.deleteFrom('idempotent_requests').where('id', '=', id).where('response', '=', response).execute()
}
