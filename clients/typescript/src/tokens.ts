/** A pair of tokens, as a store keeps it. */
export interface Tokens {
  readonly accessToken: string
  readonly refreshToken: string
  /** Names the exchange of this pair, so that repeating it in another tab or after a reload gives the same new pair. */
  readonly refreshKey: string
  /** When it was issued, by the clock of this device. */
  readonly receivedAt: number
}

/** Where the tokens are kept. What a store holds is worth a session: keep it where no other script reads it. */
export interface TokenStore {
  /** Clients whose stores have the same name share what is in them: one refreshes for all, and each hears of it. */
  readonly name?: string
  load(): Tokens | undefined | Promise<Tokens | undefined>
  /** Undefined: forget them. The next request waits for it, because the tokens before are spent. */
  save(tokens: Tokens | undefined): void | Promise<void>
}

/** Keeps the tokens for as long as the page or the process lives. */
export function memoryStore(tokens?: Tokens): TokenStore {
  let kept = tokens
  return {
    load: () => kept,
    save: (tokens) => {
      kept = tokens
    },
  }
}

interface Claims {
  sub: string
  iat: number
  exp: number
}

/** What an access token says about itself, which the service alone verifies; nothing if it is none. */
export function claimsOf(accessToken: string): Partial<Claims> {
  try {
    return JSON.parse(atob((accessToken.split('.')[1] as string).replace(/-/g, '+').replace(/_/g, '/'))) ?? {}
  } catch {
    return {}
  }
}

/** A token this close to its end is exchanged before it is used. */
const MARGIN_MS = 30_000

/**
 * How old a token is, without comparing the clock of this device with that of the service: its lifetime is a difference of
 * two times of the service, its age one of two times of this device, or of its monotonic clock when that one says more.
 * To be asked about a token when it arrives, because the monotonic clock counts from then on.
 */
export function createAges() {
  let latest: { token: string; since: number } | undefined

  return function isFresh({ accessToken, receivedAt }: Pick<Tokens, 'accessToken' | 'receivedAt'>): boolean {
    const { iat = 0, exp = 0 } = claimsOf(accessToken)
    const ageMs = Date.now() - receivedAt
    if (latest?.token !== accessToken) {
      // From the future: the clock was set back, so its age is unknown.
      if (ageMs < 0) return false
      latest = { token: accessToken, since: performance.now() - ageMs }
    }
    return Math.max(ageMs, performance.now() - latest.since) < (exp - iat) * 1000 - MARGIN_MS
  }
}

/** 128 random bits. `crypto.randomUUID` is missing on pages without TLS. */
export function randomKey(): string {
  return btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(16))))
}
