import { randomUUID } from 'node:crypto'
import net from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { Actor, Attempt, CompanyActor, RequestInfo } from '../access/actors.ts'
import { isUuid } from '../lib/ids.ts'
import { networkOf, plainAddress, UNKNOWN_NETWORK } from '../lib/networks.ts'
import type { Problem, ProblemCode } from '../problems.ts'
import { findIdempotencyKey } from './idempotency/key.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** When the whole request had been received, by `performance.now()`. */
    arrivedAt: number
    /** Set once the access check has passed. */
    actor: Actor | CompanyActor | undefined
    /** The code of the problem, once the request is refused. */
    refusal: ProblemCode | undefined
    /** Keeps the problem for repetitions of the request, or lets them run again. Unset: there is no key to do it with. */
    keepRefusal: ((refused: Problem) => Promise<void>) | undefined
  }
}

const USER_AGENT_LENGTH_MAX = 256
const REQUEST_ID = /^[\w.:-]{1,64}$/

export function requestInfoOf(request: FastifyRequest): RequestInfo {
  const ip = clientAddressOf(request)
  return {
    ip,
    network: ip === UNKNOWN ? UNKNOWN_NETWORK : networkOf(ip),
    userAgent: printable(request.headers['user-agent'] ?? '').slice(0, USER_AGENT_LENGTH_MAX),
    requestId: request.id,
    elapsedMs: () => performance.now() - request.arrivedAt,
    isDisconnected: () => request.socket.destroyed,
    idempotencyKey: findIdempotencyKey(request.headers['idempotency-key']),
  }
}

const UNKNOWN = '::'

/**
 * The client's address, by a trusted proxy's header or of the peer. `::`, an address of no host, where it can't be told: a proxy
 * has passed on what is no address, or the client has disconnected, because Node then no longer knows the peer.
 */
export const clientAddressOf = ({ ip }: FastifyRequest): string => addressIn(ip)

/** Whether a proxy that is believed has passed on what is no address. */
export const isAddressUnknown = (request: FastifyRequest) => clientAddressOf(request) === UNKNOWN

/** Whom limits count: where the client's address can't be told, the peer. */
export function countedAddressOf(request: FastifyRequest): string {
  const address = clientAddressOf(request)
  return address === UNKNOWN ? addressIn(request.socket.remoteAddress) : address
}

function addressIn(text = ''): string {
  const address = plainAddress(text)
  return net.isIP(address) === 0 ? UNKNOWN : address
}

/** Does what Fastify's option `trustProxy` does, for requests that fail before Fastify sets `ip`. */
export function resolveClientIp({ headers, socket }: FastifyRequest, isProxy: (address: string) => boolean): string {
  const forwarded = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((address) => address.trim())
  const hops = [socket.remoteAddress ?? '', ...forwarded.filter((address) => address !== '').reverse()]
  return hops.find((address) => !isProxy(address)) ?? (hops.at(-1) as string)
}

/** Headers and paths may contain any character; only printable ASCII of them is stored and logged. */
export const printable = (text: string) => text.replace(/[^\x20-\x7e]/g, '?')

/** Keeps a well-formed id from the caller, so that one id can be traced through several services. */
export function requestIdFrom(header: string | string[] | undefined): string {
  return typeof header === 'string' && REQUEST_ID.test(header) ? header : randomUUID()
}

/**
 * What the audit log records of a refused request. Undefined: the URL matches no route with an action. What was sent in the place of
 * an id may be anything, such as an address, which an erasure would neither find nor take out: it is left out.
 */
export function findAttempt(request: FastifyRequest): Attempt | undefined {
  const { action } = request.routeOptions.config
  const [name, id] = Object.entries((request.params ?? {}) as Record<string, string>).at(-1) ?? []
  const company = request.headers['x-company-id']
  return action === undefined
    ? undefined
    : {
        action,
        by: request.actor ?? requestInfoOf(request),
        target: id === undefined ? undefined : { type: targetTypeOf(name, action), id: idIn(id) },
        companyHeader: idIn(company),
      }
}

/** The kind of thing that a path parameter identifies; for `id` the action decides. */
function targetTypeOf(parameter = '', action = ''): NonNullable<Attempt['target']>['type'] {
  if (parameter === 'userId') return 'member'
  if (parameter === 'roleId') return 'role'
  if (parameter === 'branchId') return 'branch'
  if (parameter === 'domainId') return 'domain'
  if (parameter === 'requestId') return 'join_request'
  if (parameter === 'invitationId') return 'invitation'
  if (parameter === 'linkId') return 'invitation_link'
  return action.startsWith('sessions.') ? 'session' : 'company'
}

const idIn = (text: unknown) => (typeof text === 'string' && isUuid(text) ? text.toLowerCase() : '')
