import { timingSafeEqual } from 'node:crypto'
import { problem } from '../problems.ts'
import type { KeySet, Keys } from './keys.ts'

/** Bounds the input of the decoder; cursors of this service are far shorter. */
export const CURSOR_LENGTH_MAX = 512

const MAC_BYTES = 16

/**
 * A cursor for the next page of a list. A client can't change it or use it for another list, because it has a MAC.
 * `list` identifies the list: the resource, the company and the filters. `position` is the sort key of the last item.
 */
export function cursorFor(keys: Keys, list: readonly unknown[], position: readonly string[]): string {
  const text = JSON.stringify(position)
  return Buffer.concat([macOf(keys.current, list, text), Buffer.from(text)]).toString('base64url')
}

/** The position in a cursor of this list. Throws the problem `cursor_invalid` for any other text. */
export function positionIn(keys: Keys, list: readonly unknown[], cursor: string): string[] {
  const bytes = Buffer.from(cursor, 'base64url')
  // Decoders skip characters that are no base64url, so one cursor would have many spellings.
  if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== cursor) throw problem('cursor_invalid')
  const [mac, text] = [bytes.subarray(0, MAC_BYTES), bytes.subarray(MAC_BYTES).toString()]
  const isOurs = keys.accepted.some((keySet) => timingSafeEqual(macOf(keySet, list, text), mac))
  if (!isOurs) throw problem('cursor_invalid')
  return JSON.parse(text)
}

const macOf = (keySet: KeySet, list: readonly unknown[], text: string) =>
  keySet.mac('sign cursors v1', JSON.stringify([list, text])).subarray(0, MAC_BYTES)
