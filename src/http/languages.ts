import { DEFAULT_LANGUAGE, type LanguageTag, languages } from '../lib/languages.ts'

/** One range such as `es-MX;q=0.8`: a tag or `*`, and its weight. */
const RANGE = /^(\*|[a-z]{1,8})(?:-[a-z0-9]{1,8})*(?:\s*;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/i
const RANGES_MAX = 20

/**
 * The supported language with the highest weight in `Accept-Language` (RFC 9110, 12.5.4), without its region: `es-MX`
 * gives `es`. Of two with the same weight the first wins; the default language when none matches.
 */
export function preferredLanguage(header = ''): LanguageTag {
  const ranges = header.split(',', RANGES_MAX).flatMap((part, position) => {
    const [, name, q = '1'] = RANGE.exec(part.trim()) ?? []
    return name ? [{ name: name.toLowerCase(), q: Number(q), position }] : []
  })
  const weigh = (language: LanguageTag) => {
    const matching = ranges.filter(({ name }) => name === language)
    const candidates = matching.length > 0 ? matching : ranges.filter(({ name }) => name === '*')
    const [best] = candidates.sort((a, b) => b.q - a.q)
    return { language, q: best?.q ?? 0, position: best?.position ?? RANGES_MAX }
  }
  const [most] = languages.map(weigh).sort((a, b) => b.q - a.q || a.position - b.position)
  return most && most.q > 0 ? most.language : DEFAULT_LANGUAGE
}
