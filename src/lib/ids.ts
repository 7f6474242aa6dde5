import { v7 } from 'uuid'

/** A UUID that sorts by its creation time (RFC 9562, version 7), so that new rows are neighbours in an index. */
export const newId = (): string => v7()

/** Any UUID of 8-4-4-4-12 hexadecimal digits, whatever its version. */
export const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export const isUuid = (text: string): boolean => UUID_PATTERN.test(text)

/** Sorts before every other UUID and identifies nothing (RFC 9562, section 5.9). */
export const NIL_UUID = '00000000-0000-0000-0000-000000000000'

/** Sorts behind every other UUID and identifies nothing (RFC 9562, section 5.10). */
export const MAX_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
