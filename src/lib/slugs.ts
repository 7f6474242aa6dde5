import { randomInt } from 'node:crypto'
import slugify from '@sindresorhus/slugify'
import { z } from 'zod'

const LENGTH_MAX = 63 // The bound of one label of a domain name, so that a slug can be used as one.

export const Slug = z
  .string()
  .max(LENGTH_MAX, `must have at most ${LENGTH_MAX} characters`)
  .regex(
    /^[a-z0-9]+(-+[a-z0-9]+)*$/,
    'can contain only lowercase letters (a–z), digits, and hyphens, and can’t start or end with a hyphen',
  )

// A front end may give each company a host name such as acme.example.com. These names stay free for the operator.
const RESERVED = new Set(
  'www api app admin auth console docs help login mail root static status support system'.split(' '),
)

/**
 * Whether no company can have this slug. Browsers show one that begins with `xn--` as the Unicode text that it encodes.
 */
export const isReserved = (slug: string) => RESERVED.has(slug) || slug.startsWith('xn--')

/**
 * Makes a slug from a name. Every name gives one. A slug that lost letters of the name, or is reserved, gets eight
 * random letters, so that different names do not give the same slug.
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

/** A character without a transliteration, such as 株, becomes a hyphen; ь has a transliteration, which is empty. */
const isLost = (character: string) => /[\p{L}\p{N}]/u.test(character) && slugOf(`a${character}a`).includes('-')

function randomLetters(count: number): string {
  return Array.from({ length: count }, () => String.fromCharCode(97 + randomInt(26))).join('')
}
