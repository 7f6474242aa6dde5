import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { isUuid } from './ids.ts'
import type { KeySet, Keys } from './keys.ts'

/** How long a response with a secret is replayed to the same request with the same Idempotency-Key. */
export const SECRETS_REPEATED_MINUTES = 10

/** Of an account, or of an invitation: a token of the one is never taken for one of the other. */
const LINK_PURPOSES = { account: 'one-time link v1', invitation: 'invitation link v1' }
const CHALLENGE_PURPOSE = 'challenge v1'
const PASSWORD_PURPOSE = 'temporary password v1'
const CODE_PURPOSE = 'mailbox code v1'
export const MAILBOX_CODE_DIGITS = 8
const UUID_BYTES = 16
const MAC_BYTES = 24

export type LinkTokenKind = keyof typeof LINK_PURPOSES

/** A token that no key is behind: only its hash is stored. 43 characters. */
export const randomToken = (): string => randomBytes(32).toString('base64url')
export const hashOfToken = (token: string): Buffer => createHash('sha256').update(token).digest()

/** The token of a challenge, which is answered once. */
export const challengeToken = (keys: Keys, id: string): string => tokenWith(keys, CHALLENGE_PURPOSE, id)
export const challengeIdFrom = (keys: Keys, token: string): string | undefined => idFrom(keys, CHALLENGE_PURPOSE, token)

/**
 * The token of a one-time link, derived from the id of its row and APP_SECRET. Neither the database nor an email that
 * waits in the outbox contains it. 40 bytes as base64url.
 */
export const linkToken = (keys: Keys, linkId: string, kind: LinkTokenKind = 'account'): string =>
  tokenWith(keys, LINK_PURPOSES[kind], linkId)

/** The id of the link that a token belongs to; undefined when this service did not make the token. */
export const linkIdFrom = (keys: Keys, token: string, kind: LinkTokenKind = 'account'): string | undefined =>
  idFrom(keys, LINK_PURPOSES[kind], token)

const tokenWith = (keys: Keys, purpose: string, id: string): string =>
  Buffer.concat([bytesOf(id), macOf(keys.current, purpose, id)]).toString('base64url')

function idFrom(keys: Keys, purpose: string, token: string): string | undefined {
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length !== UUID_BYTES + MAC_BYTES || bytes.toString('base64url') !== token) return undefined
  const id = uuidOf(bytes.subarray(0, UUID_BYTES))
  const mac = bytes.subarray(UUID_BYTES)
  return keys.accepted.some((keySet) => timingSafeEqual(mac, macOf(keySet, purpose, id))) ? id : undefined
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

/** A code that an email carries to be typed, derived like the token of a link. Few guesses at it are looked at. */
export function mailboxCode(keySet: KeySet, id: string): string {
  const random = keySet.mac(CODE_PURPOSE, id).readBigUInt64BE()
  return String(random % 10n ** BigInt(MAILBOX_CODE_DIGITS)).padStart(MAILBOX_CODE_DIGITS, '0')
}

const macOf = (keySet: KeySet, purpose: string, id: string) => keySet.mac(purpose, id).subarray(0, MAC_BYTES)

function bytesOf(id: string): Buffer {
  if (!isUuid(id)) throw new Error('The id of a link is no UUID')
  return Buffer.from(id.replaceAll('-', ''), 'hex')
}

const uuidOf = (bytes: Buffer) => bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
