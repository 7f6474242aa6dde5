import type { Fetch } from './attempts.ts'
import { Problem, problemFrom } from './problem.ts'
import { createObservable, type SessionState, type SignedOut } from './state.ts'
import { createTabs, type Message, type Tabs } from './tabs.ts'
import { claimsOf, createAges, randomKey } from './tokens.ts'
import type { CallOptions, Schemas } from './types.ts'
import type { Carrier, Held, Pair, Vault } from './vaults.ts'

export interface SessionDeps {
  baseUrl: string
  vault: Vault
  /** Sends a request as it is, with retries. */
  send: Fetch
  readContext(): Promise<Schemas['SessionContext']>
  onSignedOut?: ((state: SignedOut) => void) | undefined
}

/** Who is signed in, and the tokens of the session: who refreshes them, when, and who hears of it. */
export class Session {
  readonly state = createObservable<SessionState>({ status: 'unknown' })
  readonly #deps: SessionDeps
  readonly #tabs: Tabs
  readonly #ages = createAges()
  #accountId: string | undefined
  #refreshing: Promise<Held | undefined> | undefined
  #restoring: Promise<SessionState> | undefined
  #reloading: Promise<SessionState> | undefined
  #reloadAgain: Promise<SessionState> | undefined

  constructor(deps: SessionDeps) {
    this.#deps = deps
    this.#tabs = createTabs(deps.vault.name, (message) => void this.#hear(message).catch(() => {}))
  }

  /** Finds out who is signed in, once: from the store or the cookie. Rejects while the service can't be reached. */
  restore(): Promise<SessionState> {
    if (this.state.get().status !== 'unknown') return Promise.resolve(this.state.get())
    this.#restoring ??= this.#restore().finally(() => {
      this.#restoring = undefined
    })
    return this.#restoring
  }

  async #restore(): Promise<SessionState> {
    const held = await this.token()
    return held ? this.reload() : this.state.get()
  }

  /** Reads account, companies and permissions again. A call during another one reads once more after it. */
  reload(): Promise<SessionState> {
    if (this.#reloading) {
      this.#reloadAgain ??= this.#reloading.then(
        () => this.reload(),
        () => this.reload(),
      )
      return this.#reloadAgain
    }
    this.#reloading = this.#reload().finally(() => {
      this.#reloading = this.#reloadAgain = undefined
    })
    return this.#reloading
  }

  async #reload(): Promise<SessionState> {
    try {
      const context = await this.#deps.readContext()
      // Not if this person signed out, or another one in, meanwhile.
      if (context.user.id === this.#accountId) this.#show(context)
    } catch (error) {
      if (!(error instanceof Problem) || !['password_change_required', 'signed_out'].includes(error.code)) throw error
    }
    return this.state.get()
  }

  /** A token that the service accepts, refreshed when it is about to expire. Undefined: not signed in. */
  async token(): Promise<Held | undefined> {
    const held = await this.#deps.vault.load()
    if (held && this.#ages.isFresh(held)) return this.#identified(held)
    return this.state.get().status === 'signed_out' ? undefined : this.refresh(held?.accessToken)
  }

  /** Exchanges the refresh token, unless another tab has done so since `refused` was in use. One exchange at a time. */
  async refresh(refused: string | undefined): Promise<Held | undefined> {
    this.#refreshing ??= this.#tabs
      .exclusively(() => this.#exchange(refused))
      .finally(() => {
        this.#refreshing = undefined
      })
    const held = await this.#refreshing
    return held && this.#identified(held)
  }

  async #exchange(refused: string | undefined): Promise<Held | undefined> {
    const { vault, send } = this.#deps
    const held = await vault.load()
    if (held && held.accessToken !== refused && this.#ages.isFresh(held)) return held
    const carrier = vault.exchange(held)
    if (!carrier) return this.#end(undefined)

    const response = await send(this.#post('/api/auth/refresh', carrier, { idempotencyKey: carrier.key }))
    if (response.ok) return this.#keep(await dataIn<Pair>(response), response)
    if (response.status !== 400 && response.status !== 401) throw await problemIn(response)
    // Without locks another tab may have been faster.
    const newest = await vault.load()
    return newest && newest.accessToken !== held?.accessToken ? newest : this.#end('ended')
  }

  /** Signs up or in. No exchange of an earlier session is under way meanwhile, so the new tokens are the ones that stay. */
  async open(path: string, body: object, options: CallOptions = {}): Promise<SessionState> {
    const { vault, send } = this.#deps
    const context = await this.#tabs.exclusively(async () => {
      const response = await send(this.#post(path, { headers: {}, body: { ...body, ...vault.opening } }, options))
      if (!response.ok) throw await problemIn(response)
      const data = await dataIn<Schemas['SignedIn']>(response)
      await this.#keep(data, response)
      return data
    })
    this.#accountId = context.user.id
    this.#show(context)
    return this.state.get()
  }

  /**
   * Ends the session. Tokens of this client are forgotten even if the service can't be reached; a cookie can't be, so then
   * this rejects, and the person is still signed in.
   */
  async signOut(options: CallOptions = {}): Promise<void> {
    const { vault, send } = this.#deps
    const isCookie = 'sessionIn' in vault.opening
    await this.token().catch((error) => {
      if (isCookie) throw error
    })
    await this.#tabs.exclusively(async () => {
      const held = await vault.load()
      if (held) {
        const { headers, body } = vault.leave(held)
        const signed = { headers: { ...headers, authorization: `Bearer ${held.accessToken}` }, body }
        const response = await send(this.#post('/api/auth/logout', signed, options)).catch((error: unknown) => {
          if (isCookie) throw error
        })
        if (isCookie && response && !response.ok && response.status !== 401) throw await problemIn(response)
      }
      await this.#end('signed_out')
    })
  }

  /** The service demands another password before anything else. */
  demandPassword(): void {
    const state = this.state.get()
    if (state.status === 'signed_in') this.state.set({ ...state, mustChangePassword: true })
    else this.state.set(signedIn({ account: undefined }))
  }

  close(): void {
    this.#tabs.close()
  }

  #show({ user, tenants, companyPermissions, companyRoles }: Schemas['SessionContext']): void {
    const { must_change_password: mustChangePassword } = user
    const shared = { companies: tenants, permissions: companyPermissions, roles: companyRoles, account: user }
    this.state.set({ status: 'signed_in', mustChangePassword, ...shared })
  }

  /** Keeps a new pair before anything is done with it, because the one before is spent. */
  async #keep(pair: Pair, { headers }: Response): Promise<Held> {
    // A pair that is repeated for its key was issued earlier. Other origins do not see the date: then it counts as new.
    const ageMs = Math.max(0, Date.parse(headers.get('date') ?? '') - claimsOf(pair.accessToken).iat * 1000) || 0
    const held = await this.#deps.vault.save(pair, Date.now() - ageMs)
    this.#ages.begin(held.accessToken, ageMs)
    this.#tabs.tell({ type: 'tokens', held: this.#deps.vault.share(held) })
    return held
  }

  async #end(reason: SignedOut['reason']): Promise<undefined> {
    await this.#deps.vault.clear()
    if (reason) this.#tabs.tell({ type: 'signed_out', reason })
    this.#showSignedOut(reason)
  }

  #showSignedOut(reason: SignedOut['reason']): void {
    const before = this.state.get().status
    const state: SignedOut = { status: 'signed_out', ...(reason && { reason }) }
    this.#accountId = undefined
    if (before !== 'signed_out') this.state.set(state)
    if (before === 'signed_in') this.#deps.onSignedOut?.(state)
  }

  async #hear(message: Message): Promise<void> {
    const { vault } = this.#deps
    if (message.type === 'signed_out') {
      vault.adopt(undefined)
      return this.#showSignedOut(message.reason)
    }
    vault.adopt(message.held)
    const { sub } = claimsOf(message.held.accessToken)
    if (this.state.get().status === 'unknown' || sub === this.#accountId) return
    this.#accountId = sub
    await this.reload()
  }

  /** Tabs share a session: what one person asked for must not be done as the other one who signed in meanwhile. */
  #identified(held: Held): Held {
    const { sub } = claimsOf(held.accessToken)
    const before = this.#accountId
    this.#accountId = sub
    if (before === undefined || before === sub) return held
    this.reload().catch(() => {})
    throw new Problem('account_changed', { message: 'Another account has signed in' })
  }

  #post(path: string, { headers, body }: Omit<Carrier, 'body'> & { body: object | undefined }, options: CallOptions) {
    const { baseUrl, vault } = this.#deps
    return new Request(baseUrl + path, {
      method: 'POST',
      headers: {
        ...(body && { 'content-type': 'application/json' }),
        'idempotency-key': options.idempotencyKey ?? randomKey(),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
      ...(options.signal && { signal: options.signal }),
      ...('sessionIn' in vault.opening && { credentials: 'include' }),
    })
  }
}

function signedIn({ account }: { account: undefined }): SessionState {
  return { status: 'signed_in', mustChangePassword: true, account, companies: [], permissions: {}, roles: {} }
}

async function dataIn<Data>(response: Response): Promise<Data> {
  const body: unknown = await response.json().catch(() => undefined)
  if (typeof body === 'object' && body !== null && 'data' in body) return body.data as Data
  throw problemFrom(undefined, response)
}

async function problemIn(response: Response): Promise<Problem> {
  return problemFrom(await response.json().catch(() => undefined), response)
}
