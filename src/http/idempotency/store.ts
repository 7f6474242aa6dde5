import { hash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import {
  claimKey,
  findRequest,
  forgetResponse,
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
import { addressOf } from '../request-info.ts'
import { getIdempotencyKey } from './key.ts'

/** A response as it was given the first time, a refusal by a rule included. */
export interface StoredResponse {
  status: number
  etag?: string | undefined
  body: object
}

/** The request was answered before. */
export interface StoredReplay extends StoredResponse {
  /** So recent that it may be repeated although there is a secret in it. */
  isRecent: boolean
  /** For a response that is no longer true; one that was stored since stays. */
  forget(): Promise<void>
}

/** The first request with a key: it stores its response, or releases the key. */
export interface Reservation {
  /** Before the commit, where there is a transaction; afterwards where the rule had one of its own. */
  store(tx: Tx, response: StoredResponse): Promise<void>
  /** For what may turn out differently the next time. A stored response stays. */
  release(): Promise<void>
}

export interface IdempotencyStore {
  /** The success that this account was answered to the same request before, in this company. */
  findSuccess(request: FastifyRequest, params: unknown, companyId: string): Promise<StoredResponse | undefined>
  /** Undefined: the request has no key. Throws when the key is in use, or stands for another request. */
  reserve(request: FastifyRequest): Promise<Reservation | StoredReplay | undefined>
  storeAfterCommit(reservation: Reservation, response: StoredResponse): Promise<void>
}

/** Longer than any request takes; after it a key whose process died is free again. */
const LEASE_SECONDS = 60
const LIFETIME_HOURS = 24

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

      const bounds = { leaseSeconds: LEASE_SECONDS, lifetimeHours: LIFETIME_HOURS }
      const lease = await claimKey(database, id, current.fingerprint, bounds)
      if (lease !== undefined) return reservationOf(database, id, lease, current)
      return replayOf(database, id, await findRequest(database, id, SECRETS_REPEATED_MINUTES), secrets)
    },
    storeAfterCommit: (reservation, response) => reservation.store(database.autocommit(asAnyone), response),
  }
}

/** A key belongs to an account, or without one to an address and a route: no caller gets another one's response. */
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
  const body = request.routeOptions.config.keyIncludesBody ? secrets[0]?.fingerprint.toString('base64url') : ''
  return { id: hash('sha256', JSON.stringify([owner, key, body]), 'buffer'), secrets }
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

function replayOf(
  database: Database,
  id: Buffer,
  stored: IdempotentRequest | undefined,
  secrets: Secrets[],
): StoredReplay {
  // Released in this very moment: the next try begins anew.
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
      // Another request has taken the key over, and may be doing the same: nothing is done twice.
      if (!(await storeResponse(tx, id, lease, { status, response })))
        throw problem('request_in_progress', { retryAfterSeconds: 1 })
    },
    release: () => releaseKey(database, id, lease),
  }
}
