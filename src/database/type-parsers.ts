import pg from 'pg'

const TIMESTAMPTZ = 1184
const BIGINT = 20
const TEXT_ARRAY: number = 1009
const UUID_ARRAY = 2951

/** Reads the text of a value of this type. */
export function typeParser(oid: number): (text: string) => unknown {
  if (oid === TIMESTAMPTZ) return isoTimestamp
  if (oid === BIGINT) return Number
  if (oid === TEXT_ARRAY || oid === UUID_ARRAY) return stringArray
  return pg.types.getTypeParser(oid, 'text')
}

/**
 * `2026-11-20 20:37:11.123456+00` → `2026-11-20T20:37:11.123Z`, without a Date, which would cost more than the query.
 * Infinity, and years that have not four digits, which this service never writes, stay as they are.
 */
function isoTimestamp(text: string): string {
  if (text.length < 22 || text[4] !== '-' || !text.endsWith('+00')) return text
  const fraction = text.slice(19, -3)
  return `${text.slice(0, 10)}T${text.slice(11, 19)}${fraction.padEnd(4, '0').slice(0, 4).replace(/^0/, '.')}Z`
}

/**
 * `{a,b}` → `['a', 'b']`. The driver's parser reads an array character by character, which for a page of a list costs more
 * than everything else; it is left to what is quoted, null, nested or counted from another index.
 */
function stringArray(text: string): unknown {
  if (text === '{}') return []
  const isPlain = text.startsWith('{') && !/["\\]|NULL|.\{/.test(text)
  return isPlain ? text.slice(1, -1).split(',') : parseStringArray(text)
}

const parseStringArray: (text: string) => unknown = pg.types.getTypeParser(TEXT_ARRAY, 'text')
