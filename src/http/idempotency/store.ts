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
import { asAnyone } from '../../database/scopes.ts'
import { decrypt, encrypt } from '../../lib/encryption.ts'
import type { KeySet, Keys } from '../../lib/keys.ts'
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

/** The stored response of an earlier request with the same key. */
export interface StoredReplay extends StoredResponse {
  /** Recent enough to be repeated although it contains a secret. */
  isRecent: boolean
  /** Deletes this response, but not one that was stored since. */
  forget(): Promise<void>
}

/** Held by the first request with a key, which either stores its response or releases the key. */
export interface Reservation {
  /** Called in the request's transaction, or after it where the rule opened its own. */
  store(tx: Tx, response: StoredResponse): Promise<void>
  /** Frees the key for another try. A stored response stays. */
  release(): Promise<void>
}

export interface IdempotencyStore {
  /** The stored successful response to the same request of this account in this company. */
  findSuccess(request: FastifyRequest, params: unknown, companyId: string): Promise<StoredResponse | undefined>
  /** Undefined: the request has no key. Throws while the key is in use, or when it belongs to another request. */
  reserve(request: FastifyRequest): Promise<Reservation | StoredReplay | undefined>
  storeAfterCommit(reservation: Reservation, response: StoredResponse): Promise<void>
}

/** Longer than any request takes. Afterwards a key whose process died can be used again. */
const LEASE_SECONDS = 60

/** The header of draft-ietf-httpapi-idempotency-key-header: see docs/decisions/0009-idempotency.md. */
export function createIdempotencyStore(database: Database, keys: Keys): IdempotencyStore {
  return {
    async findSuccess(request, params, companyId) {
      const key = getIdempotencyKey(request.headers['idempotency-key'])
      if (key === undefined) return undefined
      const { id, secrets } = identify(keys, key, request, { params, companyId })
      const stored = await findRequest(database, id, SECRETS_REPEATED_MINUTES)
      const own = secrets.find(({ fingerprint }) => stored && timingSafeEqual(fingerprint, stored.fingerprint))
      if (!own || !stored?.response || stored.status === null || stored.status >= 400) return undefined
      return { status: stored.status, ...JSON.parse(decrypt(own.encryption, id, stored.response)) }
    },
    async reserve(request) {
      const key = getIdempotencyKey(request.headers['idempotency-key'])
      if (key === undefined) return undefined
      const { actor, params } = request
      const companyId = actor && 'companyId' in actor ? actor.companyId : ''
      const { id, secrets } = identify(keys, key, request, { params, companyId })
      const [current] = secrets as [Secrets]

      const bounds = { leaseSeconds: LEASE_SECONDS, lifetimeHours: IDEMPOTENCY_KEY_HOURS }
      const lease = await claimKey(database, id, current.fingerprint, bounds)
      if (lease !== undefined) return reservationOf(database, id, lease, current)
      return replayOf(database, id, await findRequest(database, id, SECRETS_REPEATED_MINUTES), secrets)
    },
    storeAfterCommit: (reservation, response) => reservation.store(database.autocommit(asAnyone), response),
  }
}

/** A key belongs to an account, or without one to an IP address and a route, so no caller gets another one's response. */
function ownerOf(request: FastifyRequest): string {
  const { actor, method, routeOptions } = request
  return actor ? `account ${actor.accountId}` : `${countedAddressOf(request)} ${method} ${routeOptions.url}`
}

interface Secrets {
  fingerprint: Buffer
  /** An AES-256-GCM key for this idempotency key alone. */
  encryption: Buffer
}

interface Address {
  params: unknown
  companyId: string
}

/** The id of the request's row and the secrets to read it; the first one is for writing. */
function identify(keys: Keys, key: string, request: FastifyRequest, address: Address) {
  const owner = ownerOf(request)
  const text = textOf(request, address)
  const secrets = keys.accepted.map((keySet) => secretsOf(keySet, owner, key, text))
  const body = request.routeOptions.config.keyIncludesBody ? secrets[0]?.fingerprint.toString('base64url') : ''
  return { id: hash('sha256', JSON.stringify([owner, key, body]), 'buffer'), secrets }
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
function secretsOf(keySet: KeySet, owner: string, key: string, text: string): Secrets {
  return {
    fingerprint: keySet.mac('idempotent request v1', text),
    encryption: keySet.mac('idempotent answer v1', JSON.stringify([owner, key])),
  }
}

function replayOf(
  database: Database,
  id: Buffer,
  stored: IdempotentRequest | undefined,
  secrets: Secrets[],
): StoredReplay {
  // The key was released just now: the next try starts again.
  if (!stored) throw problem('request_in_progress', { retryAfterSeconds: 1 })
  const own = secrets.find(({ fingerprint }) => timingSafeEqual(fingerprint, stored.fingerprint))
  if (!own) throw problem('idempotency_key_reused')
  const { status, response, isRecent } = stored
  if (status === null || response === null) throw problem('request_in_progress', { retryAfterSeconds: 1 })
  const forget = () => forgetResponse(database, id, response)
  return { status, ...JSON.parse(decrypt(own.encryption, id, response)), isRecent, forget }
}

function reservationOf(database: Database, id: Buffer, lease: string, { encryption }: Secrets): Reservation {
  return {
    async store(tx, { status, etag, body }) {
      const response = encrypt(encryption, id, JSON.stringify({ etag, body }))
      // The lease ran out and another request has the key: it may make the same change, so this one rolls back.
      if (!(await storeResponse(tx, id, lease, { status, response })))
        throw problem('request_in_progress', { retryAfterSeconds: 1 })
    },
    release: () => releaseKey(database, id, lease),
  }
}
