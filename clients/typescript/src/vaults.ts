import type { Input } from './core.ts'
import { randomKey, type TokenStore, type Tokens } from './tokens.ts'

/** What a request is signed with; the refresh token is in a cookie in that mode. */
export type Held = Omit<Tokens, 'refreshToken' | 'refreshKey'> & Partial<Pick<Tokens, 'refreshToken' | 'refreshKey'>>

/** What the service answers when it opens or refreshes a session. */
export interface Pair {
  accessToken: string
  refreshToken?: string
}

/** Holds the tokens of one client, by one of the two ways in which the service hands out refresh tokens. */
export interface Vault {
  readonly name: string | undefined
  readonly isCookie: boolean
  load(): Promise<Held | undefined>
  save(pair: Pair, receivedAt: number): Promise<Held>
  clear(): Promise<void>
  /** A store has already what another tab has received. */
  adopt?(held: Held | undefined): void
  /** Resolves when this tab has heard of the newest exchange. */
  catchUp?(): Promise<void>
  /** How the requests that open, refresh and end a session carry its refresh token. */
  open(body: object): Input
  /** Undefined: there is nothing to exchange. */
  exchange(held: Held | undefined): Input | undefined
  leave(held: Held | undefined): Input
}

export function storeVault(store: TokenStore): Vault {
  return {
    name: store.name,
    isCookie: false,
    load: async () => store.load(),
    async save({ accessToken, refreshToken = '' }, receivedAt) {
      const tokens = { accessToken, refreshToken, refreshKey: randomKey(), receivedAt }
      await store.save(tokens)
      return tokens
    },
    clear: async () => store.save(undefined),
    exchange: (held) =>
      held?.refreshToken ? { body: { refreshToken: held.refreshToken }, idempotencyKey: held.refreshKey } : undefined,
    open: (body) => ({ body }),
    leave: (held) => ({ body: { refreshToken: held?.refreshToken } }),
  }
}

/**
 * The refresh token is in a cookie that no script reads. Kept beside it is only the key of its exchange: it says that there
 * may be a session, and repeats an exchange whose answer a reload has lost.
 */
export function cookieVault(name: string): Vault {
  const storage = keyStorage(name)
  let held: Held | undefined
  /** The key that belongs to what is held. */
  let key: string | null
  let heard = () => {}
  // Runtimes without cookies refuse the option.
  const credentials = 'include'
  const inCookie: Input = { headers: { 'x-session': 'cookie' }, body: {}, credentials }
  return {
    name,
    isCookie: true,
    load: async () => held,
    async save({ accessToken }, receivedAt) {
      held = { accessToken, receivedAt }
      key = randomKey()
      storage.setItem(name, key)
      return held
    },
    async clear() {
      held = undefined
      storage.setItem(name, '')
    },
    adopt(received) {
      held = received
      key = storage.getItem(name)
      heard()
    },
    async catchUp() {
      // Another tab has exchanged the tokens, and its message is on the way: a second at most, should it be lost.
      if (held && storage.getItem(name) !== key)
        await new Promise<void>((resolve) => {
          heard = resolve
          setTimeout(resolve, 1000)
        })
    },
    exchange() {
      const idempotencyKey = storage.getItem(name)
      return idempotencyKey ? { ...inCookie, idempotencyKey } : undefined
    },
    open: (body) => ({ body: { ...body, sessionIn: 'cookie' }, credentials }),
    leave: () => inCookie,
  }
}

/** Workers have no `localStorage`, and a browser may refuse to write: then there is a key, because there may be a session. */
function keyStorage(name: string): Pick<Storage, 'getItem' | 'setItem'> {
  try {
    localStorage.setItem(name, localStorage.getItem(name) ?? '')
    return localStorage
  } catch {
    let key = randomKey()
    return {
      getItem: () => key,
      setItem: (_, next) => {
        key = next
      },
    }
  }
}
