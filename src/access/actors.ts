import type { Permission } from './permissions.ts'

/** Whoever sends a request, as far as that is known without signing in. */
export interface RequestInfo {
  ip: string
  /** What one subscriber holds: an IPv4 address or an IPv6 /64, as CIDR. */
  network: string
  userAgent: string
  requestId: string
  /** Milliseconds since the whole request was here, by a clock that never jumps. */
  elapsedMs(): number
  /** The connection was closed by its peer: nobody waits for the answer. */
  isGone(): boolean
  /** The header `Idempotency-Key`: the caller's name for this one request and its repetitions. */
  idempotencyKey: string | undefined
}

/** A caller who is signed in. */
export interface Actor extends RequestInfo {
  accountId: string
  sessionId: string
  name: string
  email: string
}

/** A caller who acts in a company as one of its active members. */
export interface CompanyActor extends Actor {
  companyId: string
  /** What the member's roles allowed when the request came in; what writes asks again inside its transaction. */
  permissions: ReadonlySet<Permission>
}

/** What somebody tried and was refused, as far as it was known by then. */
export interface Attempt {
  action: string
  by: RequestInfo | Actor | CompanyActor
  /** What the last id in the address names; undefined without one. */
  target: { type: 'account' | 'session' | 'company' | 'member' | 'role' | 'branch'; id: string } | undefined
  /** What `x-company-id` said, whether it is a company or not. */
  companyHeader: string
}
