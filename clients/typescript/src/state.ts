import type { Account, CompanySummary } from './types.ts'

export interface SignedOut {
  readonly status: 'signed_out'
  /** `signed_out`: by this person, here or in another tab; `ended`: elsewhere, or by time. Absent: there was no session. */
  readonly reason?: 'signed_out' | 'ended'
}

interface SignedInBase {
  readonly status: 'signed_in'
  readonly companies: readonly CompanySummary[]
  /** What the account may do, by the id of the company. */
  readonly permissions: Readonly<Record<string, readonly string[]>>
  /** Names of its roles, by the id of the company. */
  readonly roles: Readonly<Record<string, readonly string[]>>
  /** `open`, or the code with which a company refuses this session, by the id of the company. */
  readonly access: Readonly<Record<string, string>>
  /** Ids of companies that the account has not opened: its first request there opens them, so ask the person before it. */
  readonly unopened: readonly string[]
  /** Id of the company that has created the account, if one has: its administrators may set the password once the account has opened it. */
  readonly creator: string | undefined
  /** From when on a company will refuse this account, and with which code, unless it gets what it lacks; by the id of the company. */
  readonly accessFrom: Readonly<Record<string, { readonly from: string; readonly code: string }>>
}

export interface SignedIn extends SignedInBase {
  readonly mustChangePassword: false
  readonly account: Account
}

/** Signed in by a temporary password: until it is replaced, every other call is `password_change_required`. */
export interface PasswordChangeRequired extends SignedInBase {
  readonly mustChangePassword: true
  /** Known after sign-in, and not after a reload. */
  readonly account: Account | undefined
}

/** `unknown`: not yet restored, or another tab has signed in with another account, which is being read. */
export type SessionState = { readonly status: 'unknown' } | SignedOut | SignedIn | PasswordChangeRequired

export interface Observable<State> {
  get(): State
  set(state: State): void
  subscribe(listener: (state: State) => void): () => void
}

export function createObservable<State>(initial: State): Observable<State> {
  let current = initial
  const listeners = new Set<(state: State) => void>()
  return {
    get: () => current,
    set(state) {
      current = state
      for (const listener of [...listeners]) listener(state)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
