import type { Language } from './language.ts'
import { en } from './texts/en.ts'

/** Another language is a file beside `en.ts` and an entry here. */
const languages = new Map<string, Language>([en].map((language) => [language.tag, language]))

/** By the language of a BCP 47 tag, whatever its region or script: `es-MX` is Spanish. English when we have no other. */
export function textsFor(locale: string): Language {
  const [language = ''] = locale.toLowerCase().split('-')
  return languages.get(language) ?? en
}
