/**
 * The languages of emails and pages, by their BCP 47 tags. To add one, begin here: the types, and then the tests, name
 * what is still missing. A language needs, each written like its English neighbour:
 * - the emails: `src/features/mail/texts/<tag>.ts`, entered in `texts.ts` beside it;
 * - the pages: `src/features/pages/assets/texts.<tag>.js`, entered in `texts.js` beside it, and one sentence in the
 *   `<noscript>` of each page.
 * docs/decisions/0013-languages.md says how a text is written.
 */
export const languages = ['en', 'es', 'pt'] as const

export type LanguageTag = (typeof languages)[number]

/** For people whose language is none of these. */
export const DEFAULT_LANGUAGE: LanguageTag = 'en'

/** The language of a locale, without its region or script: `es-MX` gives `es`. */
export function languageOf(locale: string): LanguageTag {
  const [language] = locale.toLowerCase().split('-')
  return languages.find((tag) => tag === language) ?? DEFAULT_LANGUAGE
}
