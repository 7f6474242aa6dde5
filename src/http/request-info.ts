import { randomUUID } from 'node:crypto'
import net from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { Actor, Attempt, CompanyActor, RequestInfo } from '../access/actors.ts'
import { networkOf, plainAddress } from '../lib/networks.ts'
import type { ProblemCode } from '../problems.ts'
import { findIdempotencyKey } from './idempotency/key.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** When the whole request was here, by `performance.now()`. */
    arrivedAt: number
    /** Set once the access check has passed. */
    actor: Actor | CompanyActor | undefined
    /** Why it was refused, once it was. */
    refusal: ProblemCode | undefined
  }
}

const USER_AGENT_LENGTH_MAX = 256
const REQUEST_ID = /^[\w.:-]{1,64}$/

export function requestInfoOf(request: FastifyRequest): RequestInfo {
  const ip = addressOf(request)
  return {
    ip,
    network: networkOf(ip),
    userAgent: printable(request.headers['user-agent'] ?? '').slice(0, USER_AGENT_LENGTH_MAX),
    requestId: request.id,
    elapsedMs: () => performance.now() - request.arrivedAt,
    isDisconnected: () => request.socket.destroyed,
    idempotencyKey: findIdempotencyKey(request.headers['idempotency-key']),
  }
}

/**
 * Where a request comes from: what a trusted proxy says, unless that is no address at all, or else the peer. Neither is
 * there once the peer has gone.
 */
export function addressOf({ ip, socket }: FastifyRequest): string {
  const known = [ip, socket.remoteAddress].map((address) => plainAddress(address ?? ''))
  return known.find((address) => net.isIP(address) !== 0) ?? '::'
}

/** What Fastify knows as `ip` by its option `trustProxy`, for requests that it does not get so far with. */
export function senderOf({ headers, socket }: FastifyRequest, isProxy: (address: string) => boolean): string {
  const forwarded = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((address) => address.trim())
  const hops = [socket.remoteAddress ?? '', ...forwarded.filter((address) => address !== '').reverse()]
  return hops.find((address) => !isProxy(address)) ?? (hops.at(-1) as string)
}

/** Headers and paths may hold any character; what is kept of them is plain text. */
export const printable = (text: string) => text.replace(/[^\x20-\x7e]/g, '?')

/** The caller's own request id when it is harmless, so that one id can be followed through several services. */
export function requestIdFrom(header: string | string[] | undefined): string {
  return typeof header === 'string' && REQUEST_ID.test(header) ? header : randomUUID()
}

const ID_LENGTH_MAX = 64

/** What the audit is told of a request that was refused; undefined for addresses that are no routes of ours. */
export function attemptOf(request: FastifyRequest): Attempt | undefined {
  const { action } = request.routeOptions.config
  const [name, id] = Object.entries((request.params ?? {}) as Record<string, string>).at(-1) ?? []
  const company = request.headers['x-company-id']
  return action === undefined
    ? undefined
    : {
        action,
        by: request.actor ?? requestInfoOf(request),
        target: id === undefined ? undefined : { type: namedBy(name, action), id: short(id).toLowerCase() },
        companyHeader: short(typeof company === 'string' ? company : ''),
      }
}

/** What a parameter of an address names; `id` is whatever the action is about. */
function namedBy(parameter = '', action = ''): NonNullable<Attempt['target']>['type'] {
  if (parameter === 'userId') return 'member'
  if (parameter === 'roleId') return 'role'
  if (parameter === 'branchId') return 'branch'
  return action.startsWith('sessions.') ? 'session' : 'company'
}

const short = (text = '') => printable(text).slice(0, ID_LENGTH_MAX)
