import { randomInt } from 'node:crypto'
import slugify from '@sindresorhus/slugify'
import { z } from 'zod'

const LENGTH_MAX = 63 // One label of a domain name, so that a slug can become one.

export const Slug = z
  .string()
  .max(LENGTH_MAX, `must have at most ${LENGTH_MAX} characters`)
  .regex(
    /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/,
    'can contain only lowercase letters (a–z), digits, and hyphens, and can’t start or end with a hyphen',
  )

// Where a front end gives each company a host name of its own, these are the operator's.
const RESERVED = new Set(
  'www api app admin auth console docs help login mail root static status support system'.split(' '),
)

/** Nobody gets such a slug. One that begins with `xn--` is shown by browsers as the Unicode text that it encodes. */
export const isReserved = (slug: string) => RESERVED.has(slug) || slug.startsWith('xn--')

/**
 * A name as a slug. Different names must not collide because letters were lost, and every name can be saved: a slug that
 * does not tell the whole name, or is reserved, gets random letters.
 */
export function slugFrom(name: string): string {
  const whole = slugOf(name)
  const isWhole = whole !== '' && whole.length <= LENGTH_MAX && ![...name].some(isLost)
  if (isWhole && !isReserved(whole)) return whole
  const suffix = `-${randomLetters(8)}`
  const stem = whole.slice(0, LENGTH_MAX - suffix.length).replace(/-+$/, '')
  return (stem || 'company') + suffix
}

const slugOf = (text: string) => slugify(text, { decamelize: false })

/** What has no transliteration, such as 株, parts the letters around it; ь has one, which is nothing. */
const isLost = (character: string) => /[\p{L}\p{N}]/u.test(character) && slugOf(`a${character}a`).includes('-')

function randomLetters(count: number): string {
  return Array.from({ length: count }, () => String.fromCharCode(97 + randomInt(26))).join('')
}
