import type { Permission } from './permissions.ts'

/** Who may call a route. There is no default: a route that declares no access stops the boot. */
export type Access =
  /** Without signing in. */
  | 'anyone'
  /** Every signed-in account without a temporary password in force. */
  | 'account'
  /** Every signed-in account, also while a temporary password is in force. */
  | 'account with any password'
  | CompanyAccess

/**
 * Active members of a company whose roles give the permission. `membership`: every active member; `any membership`: an
 * inactive member too, and one whose address is not verified.
 */
export type CompanyAccess = { company: Permission | 'membership' | 'any membership' } & NamedCompany

/**
 * The company is named by the header `x-company-id`; `sameAs`: a parameter of the path must name the same one. Or it is
 * named by the path alone, `at`: then a company without an active membership of the caller does not exist for them.
 */
type NamedCompany = { sameAs?: string; at?: undefined } | { at: string; sameAs?: undefined }

/** What a route asks of its caller, in the order in which it is checked. */
export interface Requirements<A extends Access = Access> {
  access: A
  /** Of a route in a company: only an owner may, whatever the permissions of other roles. */
  ownerOnly?: true
  fresh?: Fresh
}

/**
 * The session has proved recently whose it is: by a second factor where the account has one, otherwise by its password. A
 * token that was stolen from a browser is not enough then.
 */
export interface Fresh {
  minutes: number
  /** An account without a second factor need not. */
  onlyWithFactor?: true
  /** Of an account without a second factor, where that is another time. */
  minutesWithoutFactor?: number
}

/** Of what a route asks for and what a company asks for at every change, which holds for accounts without a factor, too. */
export function stricter(fresh: Fresh, stepUpMinutes: number | null): Fresh
export function stricter(fresh: Fresh | undefined, stepUpMinutes: number | null): Fresh | undefined
export function stricter(fresh: Fresh | undefined, stepUpMinutes: number | null): Fresh | undefined {
  if (stepUpMinutes === null) return fresh
  const minutes = Math.min(stepUpMinutes, fresh?.minutes ?? Infinity)
  return fresh?.onlyWithFactor ? { minutes, minutesWithoutFactor: stepUpMinutes } : { minutes }
}

/** The permission that a route needs; undefined: a membership is enough. */
export function permissionNeededFor({ company }: CompanyAccess): Permission | undefined {
  return company === 'membership' || company === 'any membership' ? undefined : company
}

/** How a route refuses a caller without access to its company. */
export const noAccessCode = ({ at }: CompanyAccess) => (at ? 'company_not_found' : 'not_a_member')
