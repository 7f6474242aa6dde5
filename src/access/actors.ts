import type { AuditAction, AuditTargetType } from './actions.ts'
import type { Authority } from './authority.ts'
import type { Fresh } from './requirements.ts'

/** Where a request comes from, as far as that is known without signing in. */
export interface RequestInfo {
  ip: string
  /** What one subscriber holds: an IPv4 address or an IPv6 /64, as CIDR. */
  network: string
  userAgent: string
  requestId: string
  /** Milliseconds since the whole request was here, by a clock that never jumps. */
  elapsedMs(): number
  /** The connection was closed by its peer: the answer will not be read. */
  isDisconnected(): boolean
  /** The header `Idempotency-Key`: the client's name for this one request and its repetitions. */
  idempotencyKey: string | undefined
}

/** The session and account of an access token. */
export interface SessionId {
  accountId: string
  sessionId: string
}

/** A signed-in account that sends a request. */
export interface Actor extends RequestInfo, SessionId {
  name: string
  email: string
  /** What its route asks of the session, which is asked again under the lock of the account. */
  fresh?: Fresh | undefined
}

/**
 * An actor in a company, as one of its members, with what the roles give. A read gets it as it was when access was
 * checked, a write as it is under the company's lock.
 */
export interface CompanyActor extends Actor, Authority {
  companyId: string
  /** The account has not opened the company, as far as is known, or is no member any more: the company learns nothing of it. */
  isUnseen?: boolean
  /** The address has been verified, as far as is known under the lock. */
  isVerified?: boolean
}

/** What was tried and refused, as far as it was known by then. */
export interface Attempt {
  action: AuditAction
  by: RequestInfo | Actor | CompanyActor
  /** What the last id in the path names; undefined without one. */
  target: { type: Exclude<AuditTargetType, 'route'>; id: string } | undefined
  /** What `x-company-id` said, whether it is a company or not. */
  companyHeader: string
}
