import { contextIn } from './core.ts'
import { isProblem, Problem } from './problem.ts'
import { Refresher, type RefresherDeps } from './refresher.ts'
import {
  createObservable,
  type PasswordChangeRequired,
  type SessionState,
  type SignedIn,
  type SignedOut,
} from './state.ts'
import type { Message } from './tabs.ts'
import { claimsOf } from './tokens.ts'
import type { CallOptions, Schemas } from './types.ts'
import type { Held } from './vaults.ts'

export interface SessionDeps extends RefresherDeps {
  onSignedOut?: ((state: SignedOut) => void) | undefined
}

/** Who is signed in, as every tab shows it. */
export class Session {
  readonly state = createObservable<SessionState>({ status: 'unknown' })
  /** Whom calls are made as; undefined until the first token is there. */
  accountId: string | undefined
  readonly #deps: SessionDeps
  readonly #refresher: Refresher
  #refreshing: Promise<Held | undefined> | undefined
  #restoring: Promise<SessionState> | undefined
  #reloading: Promise<SessionState> | undefined
  #reloadAgain: Promise<SessionState> | undefined

  constructor(deps: SessionDeps) {
    this.#deps = deps
    this.#refresher = new Refresher(deps, (message) => void this.#hear(message).catch(() => {}))
  }

  /** Finds out who is signed in, once: from the store or the cookie. Rejects while the service can't be reached. */
  restore(): Promise<SessionState> {
    this.#restoring ??= this.#restore().finally(() => {
      this.#restoring = undefined
    })
    return this.#restoring
  }

  async #restore(): Promise<SessionState> {
    const isNeeded = this.state.get().status === 'unknown' && (await this.token())
    return isNeeded ? this.reload() : this.state.get()
  }

  /** Reads account, companies and permissions again. A call during another one reads once more after it. */
  reload(): Promise<SessionState> {
    if (this.#reloading) {
      this.#reloadAgain ??= this.#reloading.catch(() => {}).then(() => this.reload())
      return this.#reloadAgain
    }
    this.#reloading = this.#reload().finally(() => {
      this.#reloading = this.#reloadAgain = undefined
    })
    return this.#reloading
  }

  async #reload(): Promise<SessionState> {
    try {
      const context = contextIn(await this.#deps.send('get', '/api/auth/me', {}))
      // Not if this person signed out, or another one in, meanwhile.
      if (context.user.id === this.accountId) this.#show(context)
    } catch (error) {
      if (!isProblem(error, 'password_change_required', 'signed_out')) throw error
    }
    return this.state.get()
  }

  /** A token that the service accepts, refreshed when it is about to expire. Undefined: not signed in. */
  async token(): Promise<Held | undefined> {
    const held = await this.#refresher.vault.load()
    if (held && this.#refresher.isFresh(held)) return this.#identified(held)
    return this.state.get().status === 'signed_out' ? undefined : this.refresh(held?.accessToken)
  }

  /** Exchanges the tokens, unless another tab has done so since `refused` was in use. One exchange at a time. */
  async refresh(refused: string | undefined): Promise<Held | undefined> {
    this.#refreshing ??= this.#refresher.tabs
      .exclusively(async () => {
        const outcome = await this.#refresher.exchange(refused)
        return 'status' in outcome ? this.#end(outcome) : outcome
      })
      .finally(() => {
        this.#refreshing = undefined
      })
    const held = await this.#refreshing
    return held && this.#identified(held)
  }

  /** Signs up or in. No exchange of an earlier session is under way meanwhile, so the new tokens are the ones that stay. */
  async open(path: string, body: object, options: CallOptions = {}): Promise<SignedIn | PasswordChangeRequired> {
    const { tabs, vault } = this.#refresher
    const context = await tabs.exclusively(async () => {
      const success = await this.#deps.send('post', path, { ...options, ...vault.open(body) })
      const context = contextIn(success)
      await this.#refresher.keep(success)
      return context
    })
    this.accountId = context.user.id
    return this.#show(context)
  }

  /**
   * Ends the session. Tokens of this client are forgotten even if the service can't be reached; a cookie can't be, so then
   * this rejects, and the person is still signed in.
   */
  async signOut(options: CallOptions = {}): Promise<void> {
    const { vault } = this.#refresher
    try {
      await this.#deps.send('post', '/api/auth/logout', { ...options, ...vault.leave(await vault.load()) })
    } catch (error) {
      if (vault.isCookie && !isProblem(error, 'signed_out')) throw error
    }
    await this.leave()
  }

  /** After the service has ended it because of what the person did here. */
  async leave(): Promise<void> {
    await this.#refresher.tabs.exclusively(() => this.#end({ status: 'signed_out', reason: 'signed_out' }))
  }

  /** The service demands another password before anything else. */
  demandPassword(): void {
    const before = this.state.get()
    const none = {
      status: 'signed_in',
      account: undefined,
      companies: [],
      permissions: {},
      roles: {},
      access: {},
      unopened: [],
      creator: undefined,
      accessFrom: {},
    } as const
    this.state.set({ ...(before.status === 'signed_in' ? before : none), mustChangePassword: true })
  }

  close(): void {
    this.#refresher.tabs.close()
  }

  #show({
    user,
    tenants,
    companyPermissions,
    companyRoles,
    companyAccess,
    unopenedCompanies,
    companyAccessFrom,
    creatorCompany,
  }: Schemas['SessionContext']) {
    const { must_change_password: mustChangePassword } = user
    const shared = {
      companies: tenants,
      permissions: companyPermissions,
      roles: companyRoles,
      // An older service says nothing of these three.
      access: companyAccess ?? {},
      unopened: unopenedCompanies ?? [],
      accessFrom: companyAccessFrom ?? {},
      creator: creatorCompany,
      account: user,
    }
    const state: SignedIn | PasswordChangeRequired = { status: 'signed_in', mustChangePassword, ...shared }
    this.state.set(state)
    return state
  }

  async #end(state: SignedOut): Promise<undefined> {
    await this.#refresher.vault.clear()
    if (state.reason) this.#refresher.tabs.tell({ type: 'signed_out', state })
    this.#showSignedOut(state)
  }

  #showSignedOut(state: SignedOut): void {
    const before = this.state.get().status
    this.accountId = undefined
    if (before !== 'signed_out') this.state.set(state)
    if (before === 'signed_in') this.#deps.onSignedOut?.(state)
  }

  async #hear(message: Message): Promise<void> {
    const { vault } = this.#refresher
    if (message.type === 'signed_out') {
      vault.adopt?.(undefined)
      return this.#showSignedOut(message.state)
    }
    vault.adopt?.(message.held)
    const { sub } = claimsOf(message.held.accessToken)
    if (this.state.get().status === 'unknown' || sub === this.accountId) return
    await this.#change(sub)
  }

  /** Nothing of one account is shown to the next one, nor used by it, however long reading about that one takes. */
  #change(accountId: string | undefined): Promise<SessionState> {
    this.accountId = accountId
    if (this.state.get().status === 'signed_in') this.state.set({ status: 'unknown' })
    return this.reload()
  }

  /** Tabs share a session: what one person asked for must not be done as the other one who signed in meanwhile. */
  #identified(held: Held): Held {
    const { sub } = claimsOf(held.accessToken)
    this.accountId ??= sub
    if (this.accountId === sub) return held
    this.#change(sub).catch(() => {})
    throw new Problem('account_changed')
  }
}
