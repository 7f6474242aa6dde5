import { timingSafeEqual } from 'node:crypto'
import { isUuid } from './ids.ts'
import type { KeySet, Keys } from './keys.ts'

/** How long an answer with a secret in it is repeated to the same request with the same key. */
export const SECRETS_REPEATED_MINUTES = 10

const LINK_PURPOSE = 'one-time link v1'
const PASSWORD_PURPOSE = 'temporary password v1'
const UUID_BYTES = 16
const MAC_BYTES = 24

/**
 * The secret of a link in a letter, derived from the id of its row: the database alone opens nothing, and a letter that
 * waits in the outbox holds no secret. 40 bytes as base64url.
 */
export function linkToken(keys: Keys, linkId: string): string {
  return Buffer.concat([bytesOf(linkId), linkMac(keys.current, linkId)]).toString('base64url')
}

/** The id of the link that a token opens; undefined when we did not make the token. */
export function linkIdFrom(keys: Keys, token: string): string | undefined {
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length !== UUID_BYTES + MAC_BYTES || bytes.toString('base64url') !== token) return undefined
  const id = uuidOf(bytes.subarray(0, UUID_BYTES))
  const mac = bytes.subarray(UUID_BYTES)
  return keys.accepted.some((keySet) => timingSafeEqual(mac, linkMac(keySet, id))) ? id : undefined
}

// No look-alikes: without 0 O o 1 l I i 5 S 2 Z.
const UPPER = 'ABCDEFGHJKLMNPQRTUVWXY'
const LOWER = 'abcdefghjkmnpqrstuvwxyz'
const DIGITS = '346789'
const PASSWORD_LENGTH = 16

/** A temporary password, derived like a link's secret. The first three characters satisfy the policy. */
export function temporaryPassword(keySet: KeySet, secretId: string): string {
  const random = keySet.mac(PASSWORD_PURPOSE, secretId)
  const alphabets = [UPPER, LOWER, DIGITS, ...Array<string>(PASSWORD_LENGTH - 3).fill(UPPER + LOWER + DIGITS)]
  return alphabets.map((alphabet, place) => alphabet[random.readUInt16BE(place * 2) % alphabet.length]).join('')
}

const linkMac = (keySet: KeySet, id: string) => keySet.mac(LINK_PURPOSE, id).subarray(0, MAC_BYTES)

function bytesOf(id: string): Buffer {
  if (!isUuid(id)) throw new Error('A link is named by a UUID')
  return Buffer.from(id.replaceAll('-', ''), 'hex')
}

const uuidOf = (bytes: Buffer) => bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
