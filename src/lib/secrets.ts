import { timingSafeEqual } from 'node:crypto'
import { isUuid } from './ids.ts'
import type { KeySet, Keys } from './keys.ts'

/** How long a response with a secret is replayed to the same request with the same Idempotency-Key. */
export const SECRETS_REPEATED_MINUTES = 10

const LINK_PURPOSE = 'one-time link v1'
const PASSWORD_PURPOSE = 'temporary password v1'
const UUID_BYTES = 16
const MAC_BYTES = 24

/**
 * The token of a one-time link, derived from the id of its row and APP_SECRET. Neither the database nor an email that
 * waits in the outbox contains it. 40 bytes as base64url.
 */
export function linkToken(keys: Keys, linkId: string): string {
  return Buffer.concat([bytesOf(linkId), linkMac(keys.current, linkId)]).toString('base64url')
}

/** The id of the link that a token belongs to; undefined when this service did not make the token. */
export function linkIdFrom(keys: Keys, token: string): string | undefined {
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length !== UUID_BYTES + MAC_BYTES || bytes.toString('base64url') !== token) return undefined
  const id = uuidOf(bytes.subarray(0, UUID_BYTES))
  const mac = bytes.subarray(UUID_BYTES)
  return keys.accepted.some((keySet) => timingSafeEqual(mac, linkMac(keySet, id))) ? id : undefined
}

// Without characters that look alike: 0 O o 1 l I i 5 S 2 Z.
const UPPER = 'ABCDEFGHJKLMNPQRTUVWXY'
const LOWER = 'abcdefghjkmnpqrstuvwxyz'
const DIGITS = '346789'
const PASSWORD_LENGTH = 16

/** A temporary password, derived like the token of a link. Its first three characters satisfy the password policy. */
export function temporaryPassword(keySet: KeySet, secretId: string): string {
  const random = keySet.mac(PASSWORD_PURPOSE, secretId)
  const alphabets = [UPPER, LOWER, DIGITS, ...Array<string>(PASSWORD_LENGTH - 3).fill(UPPER + LOWER + DIGITS)]
  return alphabets.map((alphabet, index) => alphabet[random.readUInt16BE(index * 2) % alphabet.length]).join('')
}

const linkMac = (keySet: KeySet, id: string) => keySet.mac(LINK_PURPOSE, id).subarray(0, MAC_BYTES)

function bytesOf(id: string): Buffer {
  if (!isUuid(id)) throw new Error('The id of a link is no UUID')
  return Buffer.from(id.replaceAll('-', ''), 'hex')
}

const uuidOf = (bytes: Buffer) => bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
