import { createAccount } from './account.ts'
import { type RetryOptions, withRetries } from './attempts.ts'
import { type CompanyScope, createCompany } from './company.ts'
import { type Core, createCore } from './core.ts'
import { createInvitation, createOwnInvitations } from './invitations.ts'
import { thenReload } from './reload.ts'
import { createRoutes } from './routes.ts'
import { Session } from './session.ts'
import type { SignedOut } from './state.ts'
import type { TokenStore } from './tokens.ts'
import { createTransport } from './transport.ts'
import type { CallOptions, Schemas } from './types.ts'
import { cookieVault, storeVault } from './vaults.ts'

export interface ClientOptions {
  /** Where the service is, such as `https://api.example.com`. In a browser by default the origin of the page. */
  baseUrl?: string
  /**
   * `'cookie'`, for browsers: no script can read the refresh token, and all tabs share the session. The page is served by
   * the service or by an origin that it lists. Otherwise a store that keeps the tokens, such as `memoryStore()`.
   */
  session: 'cookie' | TokenStore
  /** The language of texts that the service translates, such as `pt`. */
  language?: string | (() => string | undefined)
  fetch?: typeof globalThis.fetch
  /** Called when a session that was in use is over: the place to show the sign-in page. */
  onSignedOut?: (state: SignedOut) => void
  /**
   * Called when a call is refused with `reauthentication_required`: the place for one dialog that asks for one of the methods
   * and calls `account.stepUp`. True: it was proved, and the call is made again. False: its problem is thrown.
   */
  onReauthentication?: (methods: readonly string[]) => Promise<boolean>
  retry?: RetryOptions
}

export type Tenantry = ReturnType<typeof createClient>

export function createClient(options: ClientOptions) {
  const { language, onSignedOut, onReauthentication, fetch = (request) => globalThis.fetch(request), retry } = options
  const baseUrl = originOf(options.baseUrl)
  const vault = options.session === 'cookie' ? cookieVault(`tenantry ${baseUrl}`) : storeVault(options.session)
  const send = withRetries(fetch, retry)
  const session: Session = new Session({
    vault,
    send: (...call) => core.send(...call),
    onSignedOut,
  })
  const core = createCore(baseUrl, createTransport({ session, send, language, onReauthentication }))
  const account = createAccount(core, session)
  const { plain } = createRoutes(core)

  return {
    /** Who is signed in. */
    session: observed(session),
    /** Signs up with a first company, and in. */
    register: (body: Omit<Schemas['Registration'], 'sessionIn'>, options?: CallOptions) =>
      session.open('/api/auth/register', body, options),
    signIn: (body: Omit<Schemas['Credentials'], 'sessionIn'>, options?: CallOptions) =>
      session.open('/api/auth/login', body, options),
    /** For the options of `getPasskey()`, and then with what it gives. */
    passkeys: {
      start: plain('post', '/api/auth/passkeys/options'),
      signIn: (body: Omit<Schemas['PasskeySignIn'], 'sessionIn'>, options?: CallOptions) =>
        session.open('/api/auth/passkeys/login', body, options),
    },
    /** Finishes a sign-in that was refused with `second_factor_required`: its problem has the `challenge`. */
    confirmSignIn: (body: Omit<Schemas['SecondFactorProof'], 'sessionIn'>, options?: CallOptions) =>
      session.open('/api/auth/login/second-factor', body, options),
    signOut: (options?: CallOptions) => session.signOut(options),
    account: { ...account, invitations: createOwnInvitations(core, session) },
    /** What the link in an invitation opens. */
    invitation: createInvitation(core, session),
    companies: createCompanies(core, session),
    company: companyScopes((id) => createCompany(core, session, id)),
    service: {
      health: plain('get', '/api/health'),
      readiness: plain('get', '/api/health/ready'),
    },
    /** For anything else: any operation by its path, with tokens, keys and attempts. It returns refusals as `error`. */
    http: core.http,
    /** Hears of other tabs no more. */
    close: () => session.close(),
  }
}

function observed(session: Session) {
  return {
    get: session.state.get,
    subscribe: session.state.subscribe,
    restore: () => session.restore(),
    reload: () => session.reload(),
  }
}

function createCompanies(core: Core, session: Session) {
  const routes = createRoutes(core)
  return { ...routes.lists('/api/companies'), create: thenReload(session, routes.sending('post', '/api/companies')) }
}

/** The same object for the same id, so that it can be a dependency of effects and memos. */
function companyScopes(create: (id: string) => CompanyScope) {
  const scopes = new Map<string, CompanyScope>()
  return (id: string): CompanyScope => {
    const scope = scopes.get(id) ?? create(id)
    scopes.set(id, scope)
    return scope
  }
}

function originOf(baseUrl: string | undefined = globalThis.location?.origin): string {
  if (!baseUrl) throw new TypeError('baseUrl is missing')
  return baseUrl.replace(/\/+$/, '').replace(/\/api$/, '')
}
