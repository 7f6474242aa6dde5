import { hash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Database, Tx } from '../../database/open.ts'
import { asAnyone } from '../../database/scopes.ts'
import { decrypt, encrypt } from '../../lib/encryption.ts'
import type { KeySet, Keys } from '../../lib/keys.ts'
import { SECRETS_REPEATED_MINUTES } from '../../lib/secrets.ts'
import { problem } from '../../problems.ts'
import { addressOf } from '../request-info.ts'

/** An answer as it was given the first time, refusals by a rule included. */
export interface StoredResponse {
  status: number
  etag?: string | undefined
  body: object
}

/** The first try was answered. */
export interface StoredReplay extends StoredResponse {
  /** So that it may be repeated although there is a secret in it. */
  isRecent: boolean
  /** Lets the key go, for an answer that is true no more. One that was kept since then stays. */
  forget(): Promise<void>
}

/** The first request with a key: it is to keep its answer, or to let the key go. */
export interface Reservation {
  /** Before the commit, where there is a transaction; afterwards where the rule had one of its own. */
  keep(tx: Tx, answer: StoredResponse): Promise<void>
  /** For what may turn out differently the next time. An answer that was kept stays. */
  release(): Promise<void>
}

export interface IdempotencyStore {
  /** The success that this account was told of the same request before, in this company; undefined: there is none. */
  recall(request: FastifyRequest, params: unknown, companyId: string): Promise<StoredResponse | undefined>
  /** Undefined: the request has no key. Throws when the key is in use, or stands for another request. */
  begin(request: FastifyRequest): Promise<Reservation | StoredReplay | undefined>
  storeAfterCommit(first: Reservation, answer: StoredResponse): Promise<void>
}

/** Longer than any request takes; after it a key whose process died is free again. */
const LEASE_SECONDS = 60
const KEPT_HOURS = 24

/** The header of draft-ietf-httpapi-idempotency-key-header: see docs/decisions/0009-retries.md. */
export function createIdempotencyStore(database: Database, keys: Keys): IdempotencyStore {
  return {
    async recall(request, params, companyId) {
      const key = keyOf(request)
      if (key === undefined) return undefined
      const { id, secrets } = identify(keys, key, request, { params, companyId })
      const kept = await find(database, id)
      const own = secrets.find(({ fingerprint }) => kept && timingSafeEqual(fingerprint, kept.fingerprint))
      if (!own || !kept?.response || kept.status === null || kept.status >= 400) return undefined
      return { status: kept.status, ...JSON.parse(decrypt(own.encryption, id, kept.response)) }
    },
    async begin(request) {
      const key = keyOf(request)
      if (key === undefined) return undefined
      const { actor, params } = request
      const companyId = actor && 'companyId' in actor ? actor.companyId : ''
      const { id, secrets } = identify(keys, key, request, { params, companyId })
      const [current] = secrets as [Secrets]

      const lease = await claim(database, id, current.fingerprint)
      if (lease !== undefined) return firstTry(database, id, lease, current)
      return repetitionOf(database, id, await find(database, id), secrets)
    },
    storeAfterCommit: (first, answer) => first.keep(database.autocommit(asAnyone), answer),
  }
}

const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/

function keyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !VISIBLE_ASCII.test(key)) throw problem('idempotency_key_malformed')
  return key
}

/** A key belongs to an account, or without one to an address and a route: nobody gets an answer that was another's. */
function ownerOf(request: FastifyRequest): string {
  const { actor, method, routeOptions } = request
  return actor ? `account ${actor.accountId}` : `${addressOf(request)} ${method} ${routeOptions.url}`
}

interface Secrets {
  fingerprint: Buffer
  /** Of AES-256-GCM, for this key alone. */
  encryption: Buffer
}

interface Address {
  params: unknown
  companyId: string
}

/** The row of a request with a key, and what it takes to read it; the first of the secrets is for writing. */
function identify(keys: Keys, key: string, request: FastifyRequest, address: Address) {
  const owner = ownerOf(request)
  const asked = textOf(request, address)
  const secrets = keys.accepted.map((keySet) => secretsOf(keySet, owner, key, asked))
  const guess = request.routeOptions.config.guessable ? secrets[0]?.fingerprint.toString('base64url') : ''
  return { id: hash('sha256', JSON.stringify([owner, key, guess]), 'buffer'), secrets }
}

function textOf(
  { method, routeOptions, query, headers, body }: FastifyRequest,
  { params, companyId }: Address,
): string {
  // What no schema has read may be anything, such as brackets within brackets without an end.
  const read = (routeOptions.schema as { body?: unknown } | undefined)?.body ? body : undefined
  return JSON.stringify([method, routeOptions.url, params, query, read, companyId, headers['if-match']])
}

/** A MAC and not a hash: what is asked may hold a password, which a hash would let a thief of the database guess. */
function secretsOf(keySet: KeySet, owner: string, key: string, asked: string): Secrets {
  return {
    fingerprint: keySet.mac('idempotent request v1', asked),
    encryption: keySet.mac('idempotent answer v1', JSON.stringify([owner, key])),
  }
}

/** Of any number of requests with one key exactly one gets a lease. */
async function claim(database: Database, id: Buffer, fingerprint: Buffer): Promise<string | undefined> {
  const { rows } = await sql<{ lease: string }>`
    insert into idempotent_requests as kept (id, fingerprint, claimed_until)
    values (${id}, ${fingerprint}, now() + make_interval(secs => ${LEASE_SECONDS}))
    on conflict (id) do update
    set fingerprint = excluded.fingerprint, claimed_until = excluded.claimed_until, created_at = now(),
      status = null, response = null
    where kept.created_at < now() - make_interval(hours => ${KEPT_HOURS})
      or kept.status is null and kept.claimed_until < now() and kept.fingerprint = excluded.fingerprint
    returning claimed_until::text as lease`.execute(database.autocommit(asAnyone))
  return rows[0]?.lease
}

interface Kept {
  fingerprint: Buffer
  status: number | null
  response: Buffer | null
  isRecent: boolean
}

async function find(database: Database, id: Buffer): Promise<Kept | undefined> {
  return database
    .autocommit(asAnyone)
    .selectFrom('idempotent_requests')
    .select(['fingerprint', 'status', 'response'])
    .select(sql<boolean>`created_at > now() - make_interval(mins => ${SECRETS_REPEATED_MINUTES})`.as('isRecent'))
    .where('id', '=', id)
    .executeTakeFirst()
}

function repetitionOf(database: Database, id: Buffer, kept: Kept | undefined, secrets: Secrets[]): StoredReplay {
  // Let go this very moment: the next try begins anew.
  if (!kept) throw problem('request_in_progress', { retryAfterSeconds: 1 })
  const own = secrets.find(({ fingerprint }) => timingSafeEqual(fingerprint, kept.fingerprint))
  if (!own) throw problem('idempotency_key_reused')
  const { status, response, isRecent } = kept
  if (status === null || response === null) throw problem('request_in_progress', { retryAfterSeconds: 1 })
  const forget = async () => {
    await database
      .autocommit(asAnyone)
      .deleteFrom('idempotent_requests')
      .where('id', '=', id)
      .where('response', '=', response)
      .execute()
  }
  return { status, ...JSON.parse(decrypt(own.encryption, id, response)), isRecent, forget }
}

function firstTry(database: Database, id: Buffer, lease: string, { encryption }: Secrets): Reservation {
  return {
    async keep(tx, { status, etag, body }) {
      const answer = encrypt(encryption, id, JSON.stringify({ etag, body }))
      const { rows } = await sql<{ kept: boolean }>`
        select complete_idempotent_request(${id}, ${lease}, ${status}::smallint, ${answer}) as kept`.execute(tx)
      // Somebody else took the key over, and may be doing the same: nothing is done twice.
      if (!rows[0]?.kept) throw problem('request_in_progress', { retryAfterSeconds: 1 })
    },
    async release() {
      await database
        .autocommit(asAnyone)
        .deleteFrom('idempotent_requests')
        .where('id', '=', id)
        .where('claimed_until', '=', lease)
        .where('status', 'is', null)
        .execute()
    },
  }
}
