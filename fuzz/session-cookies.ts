import { APP_URL } from '../test/support/app.ts'
import type { Json } from './body-mutations.ts'
import type { HttpAnswer, HttpRequest } from './http-client.ts'

const NAME = '__Host-tenantry_refresh_token'
const ORIGIN = new URL(APP_URL).origin

interface Parts {
  headers: [name: string, value: string][]
  body: Json | undefined
}

/** What a browser makes of a request with a session in a cookie: it sends its origin, and the refresh token as a cookie. */
export function fromBrowser<Draft extends Parts>(draft: Draft): Draft {
  const { headers } = draft
  const { refreshToken, ...body } = fieldsOf(draft.body)
  const origin: [string, string] = ['origin', ORIGIN]
  if (headers.some(([name]) => name === 'x-session')) {
    const cookie: [string, string][] = typeof refreshToken === 'string' ? [['cookie', `${NAME}=${refreshToken}`]] : []
    return { ...draft, body, headers: [...headers, origin, ...cookie] }
  }
  return 'sessionIn' in body ? { ...draft, headers: [...headers, origin] } : draft
}

const fieldsOf = (body: Json | undefined) =>
  typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Record<string, Json>) : {}

/** The refresh token in the cookie of an answer. */
export function tokenInCookie(headers: Map<string, string[]>): string | undefined {
  const [cookie = ''] = headers.get('set-cookie') ?? []
  return new RegExp(`^${NAME}=([^;]+)`).exec(cookie)?.[1]
}

/** What is wrong with the cookie of an answer: it goes only to a page of the service, and its token nowhere else. */
export function faultsOfCookie(request: HttpRequest, { headers, text }: HttpAnswer): string[] {
  const cookies = headers.get('set-cookie') ?? []
  if (cookies.length === 0) return []
  const origins = request.headers.filter(([name]) => name === 'origin').map(([, value]) => value)
  const token = tokenInCookie(headers)
  const faults = [
    cookies.length > 1 && `${cookies.length} cookies at once`,
    (origins.length !== 1 || origins[0] !== ORIGIN) && `a cookie for a page of ${origins}`,
    token && text.includes(token) && 'the token of the cookie is in the answer, too',
    /"refreshToken"/.test(text) && !/"code"/.test(text) && 'a refresh token in an answer with a cookie',
  ]
  return faults.filter((fault) => typeof fault === 'string')
}
