import { randomInt } from 'node:crypto'
import slugify from '@sindresorhus/slugify'
import { z } from 'zod'

const LENGTH_MAX = 63 // One label of a domain name, so that a slug can become one.

export const Slug = z
  .string()
  .max(LENGTH_MAX, `must have at most ${LENGTH_MAX} characters`)
  .regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/, 'must be of a-z, 0-9 and inner hyphens')

/** A name as a slug; one that leaves nothing (such as 株式会社) gets random letters, so that it can be saved at all. */
export function slugFrom(name: string): string {
  const slug = slugify(name, { decamelize: false }).slice(0, LENGTH_MAX).replace(/-+$/, '')
  return slug === '' ? `company-${randomLetters(8)}` : slug
}

function randomLetters(count: number): string {
  return Array.from({ length: count }, () => String.fromCharCode(97 + randomInt(26))).join('')
}
