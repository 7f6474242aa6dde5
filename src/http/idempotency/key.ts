import { problem } from '../../problems.ts'

/** One value of 1 to 255 visible ASCII characters, as draft-ietf-httpapi-idempotency-key-header lets a service choose. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/

/** Undefined: the header is missing or malformed. */
export const findIdempotencyKey = (header: unknown): string | undefined =>
  typeof header === 'string' && IDEMPOTENCY_KEY.test(header) ? header : undefined

/** Undefined: the header is missing. Throws when it is malformed. */
export function getIdempotencyKey(header: unknown): string | undefined {
  const key = findIdempotencyKey(header)
  if (header !== undefined && key === undefined) throw problem('idempotency_key_malformed')
  return key
}
