import type { Core, Success } from './core.ts'
import { isProblem, problemFrom } from './problem.ts'
import type { SignedOut } from './state.ts'
import { createTabs, type Message, type Tabs } from './tabs.ts'
import { claimsOf, createAges } from './tokens.ts'
import type { Held, Pair, Vault } from './vaults.ts'

export interface RefresherDeps {
  vault: Vault
  send: Core['send']
}

/** Holds the tokens of the session and exchanges them: when they are about to expire, once for all tabs. */
export class Refresher {
  readonly vault: Vault
  readonly tabs: Tabs
  readonly #deps: RefresherDeps
  readonly isFresh = createAges()

  constructor(deps: RefresherDeps, hear: (message: Message) => void) {
    this.#deps = deps
    this.vault = deps.vault
    this.tabs = createTabs(deps.vault.name, hear)
  }

  /** To be called while no other tab does. Gives new tokens, or says why there are none. */
  async exchange(refused: string | undefined): Promise<Held | SignedOut> {
    await this.vault.catchUp?.()
    const held = await this.vault.load()
    // Another tab was first.
    if (held && held.accessToken !== refused && this.isFresh(held)) return held
    const input = this.vault.exchange(held)
    if (!input) return { status: 'signed_out' }

    try {
      return await this.keep(await this.#deps.send('post', '/api/auth/refresh', input))
    } catch (error) {
      // Any other one says nothing about the session.
      if (!isProblem(error, 'refresh_token_invalid', 'validation_failed')) throw error
    }
    // Without locks another tab may have been faster.
    const newest = await this.vault.load()
    return newest && newest.accessToken !== held?.accessToken ? newest : { status: 'signed_out', reason: 'ended' }
  }

  /** Keeps a new pair before anything is done with it, because the one before is spent. */
  async keep({ body, response }: Success): Promise<Held> {
    const pair = body.data as Pair
    const { sub, iat = 0 } = claimsOf(pair.accessToken)
    if (!sub) throw problemFrom(undefined, response)
    // A pair that is repeated for its key was issued earlier. Other origins do not see the date: then it counts as new.
    const ageMs = Math.max(0, Date.parse(response.headers.get('date') ?? '') - iat * 1000) || 0
    const held = await this.vault.save(pair, Date.now() - ageMs)
    this.isFresh(held)
    const { accessToken, receivedAt } = held
    this.tabs.tell({ type: 'tokens', held: { accessToken, receivedAt } })
    return held
  }
}
