import { createHash } from 'node:crypto'
import { isOutdated } from './errors.ts'

const NAMES_MAX = 500
const names = new Map<string, string>()
let generation = 0

/**
 * The name of the prepared statement for a text. Every connection keeps the plans of all names, so their number is
 * bounded, well above the number of texts in this code; a text beyond the bound is planned each time.
 */
export function nameOf(sql: string): string | undefined {
  const known = names.get(sql)
  if (known || names.size >= NAMES_MAX) return known
  const name = createHash('sha256').update(`${generation} ${sql}`).digest('base64url')
  names.set(sql, name)
  return name
}

/** Makes every connection prepare every statement again, when it is next sent, if this name was out of date. */
export function forgetNamesAfter(error: unknown, name: string | undefined, sql: string): void {
  if (!name || !isOutdated(error) || name !== names.get(sql)) return
  generation++
  names.clear()
}
