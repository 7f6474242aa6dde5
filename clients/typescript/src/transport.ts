import type { Fetch } from './attempts.ts'
import { Problem, problemFrom } from './problem.ts'
import type { Session } from './session.ts'
import { randomKey } from './tokens.ts'

/** Paths that need no session: a test compares them with the document. */
const PUBLIC =
  /^\/api\/(health|auth\/(register|login|refresh|verify-email|undo-email-change|forgot-password|reset-password))(\/|$)/

export interface TransportDeps {
  baseUrl: string
  session: Session
  /** Sends a request as it is, with retries. */
  send: Fetch
  language?: string | (() => string | undefined) | undefined
}

/** What every call passes: a key for a write, the language, the token, once more after a refresh, and a look at the answer. */
export function createTransport({ baseUrl, session, send, language }: TransportDeps): Fetch {
  const permissionsSeen = createPermissionsWatch(session)

  return async function transport(request) {
    const { headers, method } = request
    const wanted = typeof language === 'function' ? language() : language
    if (wanted) headers.set('accept-language', wanted)
    if (method !== 'GET' && !headers.has('idempotency-key')) headers.set('idempotency-key', randomKey())

    const isPublic = PUBLIC.test(request.url.slice(baseUrl.length).split('?')[0] ?? '')
    const response = checked(isPublic ? await send(request) : await sendSigned(session, send, request))
    permissionsSeen(request, response)
    return response
  }
}

async function sendSigned(session: Session, send: Fetch, request: Request): Promise<Response> {
  const held = await withSignal(session.token(), request.signal)
  if (!held) throw new Problem('signed_out', { message: 'Not signed in' })
  const response = await send(signed(request, held.accessToken))
  const code = response.status === 401 || response.status === 403 ? await codeIn(response) : undefined
  if (code === 'password_change_required') session.demandPassword()
  if (code !== 'token_invalid') return response

  const next = await withSignal(session.refresh(held.accessToken), request.signal)
  if (!next) throw new Problem('signed_out', { message: 'The session has ended', status: 401 })
  return send(signed(request, next.accessToken))
}

function signed(request: Request, accessToken: string): Request {
  const copy = request.clone()
  copy.headers.set('authorization', `Bearer ${accessToken}`)
  return copy
}

/** Others may wait for the same refresh, so a signal ends only the waiting. */
async function withSignal<Result>(promise: Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted()
  const { promise: aborted, reject } = withResolvers<never>()
  const stop = () => reject(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', stop))
}

function withResolvers<Result>() {
  let reject: (reason: unknown) => void = () => {}
  const promise = new Promise<Result>((_, no) => {
    reject = no
  })
  return { promise, reject }
}

async function codeIn(response: Response): Promise<unknown> {
  const body = await response
    .clone()
    .json()
    .catch(() => undefined)
  return body?.code
}

/** Refuses what is no answer of the service: the page of a proxy, or a file of a front end that answers every path. */
function checked(response: Response): Response {
  const type = response.headers.get('content-type') ?? ''
  if (/^(application\/(json|x-ndjson)|text\/csv)\b/.test(type)) return response
  throw problemFrom(undefined, response)
}

/** Reads the permissions again when an answer says that they have changed since the one before. */
function createPermissionsWatch(session: Session) {
  const versions = new Map<string, string>()
  return ({ headers: sent }: Request, { headers }: Response): void => {
    const company = sent.get('x-company-id')
    const version = headers.get('x-permissions-version')
    if (!company || !version || versions.get(company) === version) return
    if (versions.has(company)) session.reload().catch(() => {})
    versions.set(company, version)
  }
}
