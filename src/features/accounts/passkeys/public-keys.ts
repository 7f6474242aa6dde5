import { createPublicKey } from 'node:crypto'

/** A public key as authenticators write it (COSE, RFC 9052), decoded. */
export type CoseKey = ReadonlyMap<number, unknown>

/** EdDSA, ES256 and RS256, by their numbers in COSE: what every authenticator has one of, the best one first. */
export const ALGORITHMS = [-8, -7, -257]

const KEY_TYPE = 1
const ALGORITHM = 3

/**
 * Throws unless the key is one of these algorithms in its one form: for ES256 a point of the curve, for RS256 a modulus of 2,048 to 4,096
 * bits, because verifying with a larger one would take too long. A key that is worth nothing in another way harms only the account
 * that chose it.
 */
export function assertUsableKey(key: CoseKey): void {
  createPublicKey({ key: jwkFrom(key), format: 'jwk' })
}

function jwkFrom(key: CoseKey) {
  const form = [key.get(KEY_TYPE), key.get(ALGORITHM)].join()
  // The parameters have other meanings for RSA than for curves.
  const [first, second, third] = [key.get(-1), key.get(-2), key.get(-3)]
  if (form === '1,-8' && first === 6) return { kty: 'OKP', crv: 'Ed25519', x: encoded(second, 32, 32) }
  if (form === '2,-7' && first === 1)
    return { kty: 'EC', crv: 'P-256', x: encoded(second, 32, 32), y: encoded(third, 32, 32) }
  if (form === '3,-257') return { kty: 'RSA', n: encodedNumber(first, 256, 512), e: encodedNumber(second, 3, 4) }
  throw new Error('A public key of an algorithm that was not offered')
}

/** Without zeros in front, which would make a small number of many bytes. */
function encodedNumber(value: unknown, bytesMin: number, bytesMax: number): string {
  if (value instanceof Uint8Array && value[0] === 0) throw new Error('A public key with a number of the wrong form')
  return encoded(value, bytesMin, bytesMax)
}

function encoded(value: unknown, bytesMin: number, bytesMax: number): string {
  if (!(value instanceof Uint8Array) || value.length < bytesMin || value.length > bytesMax)
    throw new Error('A public key with a parameter of the wrong size')
  return Buffer.from(value).toString('base64url')
}
