import { timingSafeEqual } from 'node:crypto'
import { problem } from '../problems.ts'
import type { KeySet, Keys } from './keys.ts'

/** Bounds what is decoded; ours are far shorter. */
export const CURSOR_LENGTH_MAX = 512

const MAC_BYTES = 16

/**
 * Where a walk goes on, for the caller to hand back: not to be read, changed, or taken to another list. `list` tells one
 * list from every other: what is listed, of which company, and with which filter.
 */
export function cursorFor(keys: Keys, list: readonly unknown[], place: readonly string[]): string {
  const text = JSON.stringify(place)
  return Buffer.concat([macOf(keys.current, list, text), Buffer.from(text)]).toString('base64url')
}

/** The place that a cursor of this very list names; whatever else it is, it is refused alike. */
export function placeOf(keys: Keys, list: readonly unknown[], cursor: string): string[] {
  const bytes = Buffer.from(cursor, 'base64url')
  // One cursor has one spelling: decoders skip what is no base64url.
  if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== cursor) throw problem('cursor_invalid')
  const [mac, text] = [bytes.subarray(0, MAC_BYTES), bytes.subarray(MAC_BYTES).toString()]
  const isOurs = keys.accepted.some((keySet) => timingSafeEqual(macOf(keySet, list, text), mac))
  if (!isOurs) throw problem('cursor_invalid')
  return JSON.parse(text)
}

const macOf = (keySet: KeySet, list: readonly unknown[], text: string) =>
  keySet.mac('sign cursors v1', JSON.stringify([list, text])).subarray(0, MAC_BYTES)
