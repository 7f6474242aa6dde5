import { hash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import {
  claimKey,
  findRequest,
  forgetResponse,
  IDEMPOTENCY_KEY_HOURS,
  type IdempotentRequest,
  releaseKey,
  storeResponse,
} from '../../database/idempotency.ts'
import type { Database, Tx } from '../../database/open.ts'
import { asAnyoneFrom, asAnyoneOf, asAnyoneWith } from '../../database/scopes.ts'
import { decrypt, encrypt } from '../../lib/encryption.ts'
import type { KeySet, Keys } from '../../lib/keys.ts'
import { networkOf } from '../../lib/networks.ts'
import { SECRETS_REPEATED_MINUTES } from '../../lib/secrets.ts'
import { problem } from '../../problems.ts'
import { countedAddressOf } from '../request-info.ts'
import { getIdempotencyKey } from './key.ts'

/** The first response, which may be a refusal by a rule. */
export interface StoredResponse {
  status: number
  etag?: string | undefined
  body: object
}

export interface RouteResponse extends StoredResponse {
  /** The caller has received this response before. */
  isReplayed: boolean
}

/** The stored response of an earlier request with the same key. */
export interface StoredReplay extends StoredResponse {
  /** Recent enough to be repeated although it contains a secret. */
  isRecent: boolean
  /** Deletes this response, but not one that was stored since. */
  forget(): Promise<void>
}

/** Held by the first request with a key, which either stores its response or releases the key. */
export interface Reservation {
  /** Called in the request's transaction. */
  store(tx: Tx, response: StoredResponse): Promise<void>
  /** Called after it, where the rule opened its own. */
  storeAfterCommit(response: StoredResponse): Promise<void>
  /** Frees the key for another try. A stored response stays. */
  release(): Promise<void>
}

export interface IdempotencyStore {
  /** The stored successful response to the same request of this account in this company. */
  findSuccess(request: FastifyRequest, params: unknown, companyId: string): Promise<StoredResponse | undefined>
  /** Undefined: the request has no key. Throws while the key is in use, or when it belongs to another request. */
  reserve(request: FastifyRequest): Promise<Reservation | StoredReplay | undefined>
}

/** Longer than any request takes. Afterwards a key whose process died can be used again. */
const LEASE_SECONDS = 60

/** The header of draft-ietf-httpapi-idempotency-key-header: see docs/decisions/0009-idempotency.md. */
export function createIdempotencyStore(database: Database, keys: Keys): IdempotencyStore {
  return {
    async findSuccess(request, params, companyId) {
      const key = getIdempotencyKey(request.headers['idempotency-key'])
      if (key === undefined) return undefined
      const tx = scopedTo(database, request)
      const [own] = await identify(tx, keys, key, request, { params, companyId })
      const stored = await findRequest(tx, own.id, SECRETS_REPEATED_MINUTES)
      if (!stored?.response || !isOf(stored, own) || stored.status === null || stored.status >= 400) return undefined
      return { status: stored.status, ...JSON.parse(decrypt(own.encryption, own.id, stored.response)) }
    },
    async reserve(request) {
      const key = getIdempotencyKey(request.headers['idempotency-key'])
      if (key === undefined) return undefined
      const { actor, params } = request
      const companyId = actor && 'companyId' in actor ? actor.companyId : ''
      const tx = scopedTo(database, request)
      const forms = await identify(tx, keys, key, request, { params, companyId })
      const [own] = forms

      const bounds = { leaseSeconds: LEASE_SECONDS, lifetimeHours: IDEMPOTENCY_KEY_HOURS }
      const lease = await claimKey(tx, own.id, own.fingerprint, bounds)
      if (lease !== undefined) return reservationOf(keyEnding(database, own), lease, own)
      return replayOf(tx, await findRequest(tx, own.id, SECRETS_REPEATED_MINUTES), forms)
    },
  }
}

/** With a share of its own: behind the claims of the caller it might not be released in time, and be claimed for its lease. */
const keyEnding = (database: Database, { id }: KeptRequest): Tx =>
  database.autocommit(asAnyoneWith('idempotency key', id.toString('base64url')))

/** With the share of the caller, so that many requests with one key stand in front of no other caller. */
function scopedTo(database: Database, request: FastifyRequest): Tx {
  const { actor } = request
  return database.autocommit(actor ? asAnyoneOf(actor.accountId) : asAnyoneFrom(networkOf(countedAddressOf(request))))
}

/** A key belongs to an account, or without one to an IP address and a route, so no caller gets another one's response. */
function ownerOf(request: FastifyRequest): string {
  const { actor, method, routeOptions } = request
  return actor ? `account ${actor.accountId}` : `${countedAddressOf(request)} ${method} ${routeOptions.url}`
}

/** A request as it is kept under one APP_SECRET. */
interface KeptRequest {
  /** Of its row. */
  id: Buffer
  fingerprint: Buffer
  /** An AES-256-GCM key for this idempotency key alone. */
  encryption: Buffer
}

interface Address {
  params: unknown
  companyId: string
}

/**
 * The request as each accepted APP_SECRET keeps it: first as it is kept already, otherwise as the current one does. So while the
 * secret is replaced, a repetition is one on every node, whichever secret signs there.
 */
async function identify(
  tx: Tx,
  keys: Keys,
  key: string,
  request: FastifyRequest,
  address: Address,
): Promise<[KeptRequest, ...KeptRequest[]]> {
  const { keyIncludesBody = false } = request.routeOptions.config
  const caller = { owner: ownerOf(request), key, keyIncludesBody }
  const text = textOf(request, address)
  const [current, former] = keys.accepted.map((keySet) => keptBy(keySet, caller, text)) as [KeptRequest, KeptRequest?]
  if (!former) return [current]
  const stored = await findRequest(tx, former.id, SECRETS_REPEATED_MINUTES)
  return stored && isOf(stored, former) ? [former, current] : [current, former]
}

function textOf(
  { method, routeOptions, query, headers, body }: FastifyRequest,
  { params, companyId }: Address,
): string {
  // A body without a schema may be anything, such as arrays nested too deep for JSON.stringify.
  const validated = (routeOptions.schema as { body?: unknown } | undefined)?.body ? body : undefined
  return JSON.stringify([method, routeOptions.url, params, query, validated, companyId, headers['if-match']])
}

/** A MAC and not a hash, because the request may contain a password that a stolen hash would reveal to guessing. */
function keptBy(
  keySet: KeySet,
  { owner, key, keyIncludesBody }: { owner: string; key: string; keyIncludesBody: boolean },
  text: string,
): KeptRequest {
  const fingerprint = keySet.mac('idempotent request v1', text)
  const body = keyIncludesBody ? fingerprint.toString('base64url') : ''
  return {
    id: hash('sha256', JSON.stringify([owner, key, body]), 'buffer'),
    fingerprint,
    encryption: keySet.mac('idempotent answer v1', JSON.stringify([owner, key])),
  }
}

const isOf = (stored: IdempotentRequest, { fingerprint }: KeptRequest) =>
  timingSafeEqual(fingerprint, stored.fingerprint)

function replayOf(tx: Tx, stored: IdempotentRequest | undefined, forms: KeptRequest[]): StoredReplay {
  // The key was released just now: the next try starts again.
  if (!stored) throw problem('request_in_progress', { retryAfterSeconds: 1 })
  const own = forms.find((form) => isOf(stored, form))
  if (!own) throw problem('idempotency_key_reused')
  const { status, response, isRecent } = stored
  if (status === null || response === null) throw problem('request_in_progress', { retryAfterSeconds: 1 })
  const forget = () => forgetResponse(tx, own.id, response)
  return { status, ...JSON.parse(decrypt(own.encryption, own.id, response)), isRecent, forget }
}

function reservationOf(outside: Tx, lease: string, { id, encryption }: KeptRequest): Reservation {
  const store: Reservation['store'] = async (tx, { status, etag, body }) => {
    const response = encrypt(encryption, id, JSON.stringify({ etag, body }))
    // The lease ran out and another request has the key: it may make the same change, so this one rolls back.
    if (!(await storeResponse(tx, id, lease, { status, response })))
      throw problem('request_in_progress', { retryAfterSeconds: 1 })
  }
  return {
    store,
    storeAfterCommit: (response) => store(outside, response),
    release: () => releaseKey(outside, id, lease),
  }
}
