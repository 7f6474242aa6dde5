import { randomKey, type TokenStore, type Tokens } from './tokens.ts'

/** What a request is signed with; the refresh token is in a cookie in that mode. */
export type Held = Omit<Tokens, 'refreshToken' | 'refreshKey'> & Partial<Pick<Tokens, 'refreshToken' | 'refreshKey'>>

/** What the service answers when it opens or refreshes a session. */
export interface Pair {
  accessToken: string
  refreshToken?: string
}

/** How requests that open, refresh or end a session carry the refresh token. */
export interface Carrier {
  headers: Record<string, string>
  body: Record<string, string> | undefined
}

/** Holds the tokens of one client, by one of the two ways in which the service hands out refresh tokens. */
export interface Vault {
  readonly name: string | undefined
  /** Added to the body of requests that open a session. */
  readonly opening: Record<string, string>
  load(): Promise<Held | undefined>
  save(pair: Pair, receivedAt: number): Promise<Held>
  clear(): Promise<void>
  /** What other tabs are told, so that they need no exchange of their own: never a refresh token. */
  share(held: Held): Held
  adopt(held: Held | undefined): void
  /** Undefined: there is nothing to exchange. */
  exchange(held: Held | undefined): (Carrier & { key: string }) | undefined
  leave(held: Held): Carrier
}

export function storeVault(store: TokenStore): Vault {
  return {
    name: store.name,
    opening: {},
    load: async () => store.load(),
    async save({ accessToken, refreshToken = '' }, receivedAt) {
      const tokens = { accessToken, refreshToken, refreshKey: randomKey(), receivedAt }
      await store.save(tokens)
      return tokens
    },
    clear: async () => store.save(undefined),
    share: ({ accessToken, receivedAt }) => ({ accessToken, receivedAt }),
    // It is in the store already.
    adopt: () => {},
    exchange: (held) =>
      held?.refreshToken
        ? { headers: {}, body: { refreshToken: held.refreshToken }, key: held.refreshKey ?? randomKey() }
        : undefined,
    leave: ({ refreshToken = '' }) => ({ headers: {}, body: { refreshToken } }),
  }
}

/**
 * The refresh token is in a cookie that no script reads. Kept beside it is only the key of its exchange: it says that there
 * may be a session, and repeats an exchange whose answer a reload has lost.
 */
export function cookieVault(name: string): Vault {
  const storage = localStorageOrNone()
  let held: Held | undefined
  let key: string | undefined = storage ? undefined : randomKey()
  const keep = (next: string | undefined) => {
    key = next
    if (next === undefined) storage?.removeItem(name)
    else storage?.setItem(name, next)
  }
  const carrier = { headers: { 'x-session': 'cookie' }, body: undefined }
  return {
    name,
    opening: { sessionIn: 'cookie' },
    load: async () => held,
    async save({ accessToken }, receivedAt) {
      held = { accessToken, receivedAt }
      keep(randomKey())
      return held
    },
    async clear() {
      held = undefined
      keep(undefined)
    },
    share: (held) => held,
    adopt(received) {
      held = received
    },
    exchange() {
      const known = storage ? (storage.getItem(name) ?? undefined) : key
      return known === undefined ? undefined : { ...carrier, key: known }
    },
    leave: () => carrier,
  }
}

/** Workers have none, and a browser may refuse it. */
function localStorageOrNone(): Storage | undefined {
  try {
    const storage = globalThis.localStorage
    storage?.getItem('')
    return storage ?? undefined
  } catch {
    return undefined
  }
}
