import { type Fetch, unlessAborted } from './attempts.ts'
import { isJson, Problem, problemFrom } from './problem.ts'
import type { Session } from './session.ts'
import { claimsOf, randomKey } from './tokens.ts'
import type { Held } from './vaults.ts'

/** Paths that need no session: a test compares them with the document. */
export const PUBLIC =
  /\/api\/(health|auth\/(login|passkeys|re|verify|undo|cancel-factor|forgot|invitation(s|-links)\/(preview|register|decline)$))/

const ACCESS_LOST: string[] = ['not_a_member', 'company_suspended']
/** A company's policy keeps the session out. */
const CLOSED = /^(network_not|second_factor|reauth|password_too)/

export interface TransportDeps {
  session: Session
  /** Sends a request as it is, with retries. */
  send: Fetch
  language?: string | (() => string | undefined) | undefined
  onReauthentication?: ((methods: readonly string[]) => Promise<boolean>) | undefined
}

/**
 * What every call passes: a key for a write, the language, the token, once more after a refresh or a fresh proof, and a look at
 * the answer.
 */
export function createTransport({ session, send, language, onReauthentication }: TransportDeps): Fetch {
  const heed = createWatch(session)
  const sendFresh = withProof(onReauthentication)

  return async function transport(request) {
    const { headers, method } = request
    const wanted = typeof language === 'function' ? language() : language
    if (wanted) headers.set('accept-language', wanted)
    if (method !== 'GET' && !headers.has('idempotency-key')) headers.set('idempotency-key', randomKey())

    const response = checked(
      PUBLIC.test(request.url) ? await send(request) : await sendFresh(request, signing(session, send)),
    )
    await heed(request, response)
    return response
  }
}

/** Repeats what was refused for want of a fresh proof, with the same key, once that is there. All calls wait for the same one. */
function withProof(ask: TransportDeps['onReauthentication']) {
  let asking: Promise<boolean> | undefined

  return async function sendFresh(request: Request, send: Fetch): Promise<Response> {
    const response = await send(request)
    if (!ask || response.status !== 403) return response
    const problem = await problemIn(checked(response))
    if (problem.code !== 'reauthentication_required') return response
    asking ??= ask(problem.methods).finally(() => {
      asking = undefined
    })
    return (await unlessAborted(asking, request.signal)) ? send(request) : response
  }
}

/** For one call: every attempt is made as the account that asked for it. Another one may sign in while the call waits. */
function signing(session: Session, send: Fetch): Fetch {
  let asker = session.accountId

  function signed(request: Request, held: Held | undefined, status = 0): Request {
    if (!held) throw new Problem('signed_out', { status })
    const { sub } = claimsOf(held.accessToken)
    asker ??= sub
    if (asker !== sub) throw new Problem('account_changed')
    const copy = request.clone()
    copy.headers.set('authorization', `Bearer ${held.accessToken}`)
    return copy
  }

  return async function sendSigned(request) {
    const held = await unlessAborted(session.token(), request.signal)
    const response = await send(signed(request, held))
    if (response.status !== 401 || (await problemIn(checked(response))).code !== 'token_invalid') return response
    return send(signed(request, await unlessAborted(session.refresh(held?.accessToken), request.signal), 401))
  }
}

/** Refuses what is no answer of the service: the page of a proxy, or a file of a front end that answers every path. */
function checked(response: Response): Response {
  const type = response.headers.get('content-type') ?? ''
  const isFile = response.ok && /^(application\/x-ndjson|text\/csv)/.test(type)
  if (isFile || isJson(response)) return response
  throw problemFrom(undefined, response)
}

/** Leaves the body to be read once more. */
async function problemIn(response: Response): Promise<Problem> {
  return problemFrom(await response.clone().json(), response)
}

/** Keeps the state of the session true to what the answers say about it. */
function createWatch(session: Session) {
  const versions = new Map<string, string>()

  return async ({ headers: sent }: Request, response: Response): Promise<void> => {
    const company = sent.get('x-company-id')
    const version = response.headers.get('x-permissions-version')
    const isNew = company !== null && version !== null && versions.get(company) !== version
    const isChanged = isNew && versions.has(company)
    if (isNew) versions.set(company, version)
    const problem = response.status === 403 ? await problemIn(response) : undefined
    if (problem?.code === 'password_change_required') session.demandPassword()
    else if (isChanged || (problem && isNews(session, company, problem))) session.reload().catch(() => {})
  }
}

/** Whether the refusal contradicts what the session shows. */
function isNews(session: Session, company: string | null, problem: Problem): boolean {
  const state = session.state.get()
  if (state.status !== 'signed_in' || !company) return false
  const shown = state.permissions[company]
  if (!shown) return false
  const { code } = problem
  if (code === 'permission_missing') return shown.includes(problem.required)
  return ACCESS_LOST.includes(code) || (CLOSED.test(code) && state.access[company] !== code)
}
