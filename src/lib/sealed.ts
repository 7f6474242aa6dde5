import { decrypt, encrypt } from './encryption.ts'
import type { KeySet, Keys } from './keys.ts'

/** Where a sealed value is kept: it opens there alone. */
export interface SealedPlace {
  table: string
  column: string
  rowId: string
}

const PURPOSE = 'sealed v1'
const KID_BYTES = 32

/**
 * For a secret that must be read back: hashing would lose it, and a new APP_SECRET may not change it. AES-256-GCM under a key
 * that is derived from APP_SECRET. The id of that key comes first, so that what a former APP_SECRET has sealed is found.
 */
export function seal({ current }: Pick<Keys, 'current'>, place: SealedPlace, secret: string): Buffer {
  return Buffer.concat([kidBytes(current), encrypt(current.derive(PURPOSE), placeBytes(place), secret)])
}

export class UnsealError extends Error {}

/** Throws, naming the place and nothing else, when the value is damaged, of another place, or sealed by an unknown secret. */
export function unseal({ accepted }: Pick<Keys, 'accepted'>, place: SealedPlace, sealed: Buffer): string {
  const kid = sealed.subarray(0, KID_BYTES)
  const keySet = accepted.find((each) => kidBytes(each).equals(kid))
  if (!keySet) throw new UnsealError(`${nameOf(place)} was sealed by a key that no APP_SECRET here gives`)
  try {
    return decrypt(keySet.derive(PURPOSE), placeBytes(place), sealed.subarray(KID_BYTES))
  } catch {
    throw new UnsealError(`${nameOf(place)} is not what was sealed there`)
  }
}

/** The id of a key as sealed values begin with it. */
export const kidBytes = ({ kid }: Pick<KeySet, 'kid'>): Buffer => Buffer.from(kid, 'base64url')

const placeBytes = ({ table, column, rowId }: SealedPlace) => Buffer.from(JSON.stringify([table, column, rowId]))

const nameOf = ({ table, column, rowId }: SealedPlace) => `${table}.${column} of the row ${rowId}`
