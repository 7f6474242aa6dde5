import { sign, timingSafeEqual, verify } from 'node:crypto'
import { type AccessNames, INTERNAL, type KeySet, type Keys } from './keys.ts'

/** The claims of a token (RFC 7519), times in seconds. It has no permissions: those are read at every request. */
export interface Claims {
  iss: string
  aud: string
  /** The account. */
  sub: string
  /** The session. */
  sid: string
  jti: string
  iat: number
  exp: number
}

/**
 * Access and refresh tokens. Their headers and keys differ, so that neither is accepted as the other. `at+jwt` is RFC 9068:
 * anyone verifies it with the published key. Only this service reads a refresh token, so a MAC is enough for it, which costs
 * a small part of a signature.
 */
export type TokenType = 'at+jwt' | 'rt+jwt'

const ALGORITHMS = { 'at+jwt': 'EdDSA', 'rt+jwt': 'HS256' } as const

const TOKEN_LENGTH_MAX = 4096

/**
 * Added to the audience of an access token whose session may do nothing but choose a password: this service accepts it, and every
 * other one, which would take its bearer for a person who is signed in, refuses it.
 */
const CHANGE_PASSWORD = '/change-password'

/** `mayOnlyChangePassword`: it is for this service alone. */
export function signToken(
  keys: Keys,
  type: TokenType,
  claims: Pick<Claims, 'sub' | 'sid' | 'jti' | 'iat' | 'exp'>,
  { mayOnlyChangePassword = false } = {},
): string {
  const { iss, aud } = type === 'at+jwt' ? keys.access : INTERNAL
  const payload: Claims = { iss, aud: mayOnlyChangePassword ? aud + CHANGE_PASSWORD : aud, ...claims }
  const signed = `${headerOf(keys.current, type)}.${encode(JSON.stringify(payload))}`
  return `${signed}.${proofOf(keys.current, type, signed).toString('base64url')}`
}

const proofOf = (keySet: KeySet, type: TokenType, signed: string): Buffer =>
  type === 'rt+jwt' ? refreshMac(keySet, signed) : sign(null, Buffer.from(signed), keySet.signing)

function isProof(keySet: KeySet, type: TokenType, signed: string, proof: Buffer): boolean {
  if (type === 'at+jwt') return verify(null, Buffer.from(signed), keySet.verifying, proof)
  const expected = refreshMac(keySet, signed)
  return proof.length === expected.length && timingSafeEqual(proof, expected)
}

const refreshMac = (keySet: KeySet, signed: string) => keySet.mac('sign refresh tokens v1', signed)

/**
 * The claims of a token that this service has issued, of this type; undefined for any other text. The header is compared
 * with the text that this service writes, which fixes algorithm, type and key. Expiry is not checked.
 */
export function readToken(keys: Keys, type: TokenType, token: string): Claims | undefined {
  if (token.length > TOKEN_LENGTH_MAX) return undefined
  const [header, payload, signature, ...rest] = token.split('.')
  if (!header || !payload || !signature || rest.length > 0) return undefined
  const keySet = keys.accepted.find((candidate) => headerOf(candidate, type) === header)
  if (!keySet || !isCanonical(payload) || !isCanonical(signature)) return undefined
  if (!isProof(keySet, type, `${header}.${payload}`, Buffer.from(signature, 'base64url'))) return undefined
  const claims = asClaims(JSON.parse(Buffer.from(payload, 'base64url').toString()))
  return claims && isFor(type === 'at+jwt' ? [keys.access, INTERNAL] : [INTERNAL], claims) ? claims : undefined
}

const headers = new Map<string, string>()
function headerOf(keySet: KeySet, type: TokenType): string {
  const name = `${type} ${keySet.kid}`
  const header = headers.get(name) ?? encode(JSON.stringify({ alg: ALGORITHMS[type], typ: type, kid: keySet.kid }))
  headers.set(name, header)
  return header
}

function asClaims(value: Record<string, unknown>): Claims | undefined {
  const { iss, aud, sub, sid, jti, iat, exp } = value
  if (typeof iss !== 'string' || typeof aud !== 'string') return undefined
  if (typeof sub !== 'string' || typeof sid !== 'string' || typeof jti !== 'string') return undefined
  if (!Number.isSafeInteger(iat) || !Number.isSafeInteger(exp)) return undefined
  return { iss, aud, sub, sid, jti, iat: iat as number, exp: exp as number }
}

const isFor = (accepted: AccessNames[], { iss, aud }: Claims) =>
  accepted.some((names) => names.iss === iss && [names.aud, names.aud + CHANGE_PASSWORD].includes(aud))

const encode = (text: string) => Buffer.from(text).toString('base64url')

/** Decoders ignore the spare bits of the last character of base64url, so one signature would have several spellings. */
const isCanonical = (part: string) => Buffer.from(part, 'base64url').toString('base64url') === part
