import { DEFAULT_LANGUAGE, type LanguageTag, languages } from '../lib/languages.ts'

/** `es-MX;q=0.8`: a tag or `*`, and how much it is wanted. */
const RANGE = /^(\*|[a-z]{1,8})(?:-[a-z0-9]{1,8})*(?:\s*;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/i
const RANGES_MAX = 20

/**
 * What of ours `Accept-Language` wants most (RFC 9110, 12.5.4), whatever the region: `es-MX` is Spanish. Of two that are
 * wanted alike, the one that was named first; English when it wants none, or can't be read.
 */
export function languageWanted(header = ''): LanguageTag {
  const ranges = header.split(',', RANGES_MAX).flatMap((part, place) => {
    const [, name, q = '1'] = RANGE.exec(part.trim()) ?? []
    return name ? [{ name: name.toLowerCase(), q: Number(q), place }] : []
  })
  const wish = (language: LanguageTag) => {
    const named = ranges.filter(({ name }) => name === language)
    const [best] = (named.length > 0 ? named : ranges.filter(({ name }) => name === '*')).sort((a, b) => b.q - a.q)
    return { language, q: best?.q ?? 0, place: best?.place ?? RANGES_MAX }
  }
  const [most] = languages.map(wish).sort((a, b) => b.q - a.q || a.place - b.place)
  return most && most.q > 0 ? most.language : DEFAULT_LANGUAGE
}
