/**
 * The languages of letters and pages, by their BCP 47 tags. Who adds one begins here: the types, and then the tests,
 * name whatever it still lacks. It needs, each written like its English neighbour,
 * - the letters: `src/features/mail/texts/<tag>.ts`, entered in `texts.ts` beside it;
 * - the pages: `src/features/pages/assets/texts.<tag>.js`, entered in `texts.js` beside it, and one sentence in the
 *   `<noscript>` of each page.
 * docs/decisions/0013-languages.md says how a text is written.
 */
export const languages = ['en', 'es', 'pt'] as const

export type LanguageTag = (typeof languages)[number]

/** For whoever wants none that we have. */
export const ELSE: LanguageTag = 'en'

/** By the language alone, whatever the region or script: `es-MX` is Spanish. */
export function languageOf(locale: string): LanguageTag {
  const [wanted] = locale.toLowerCase().split('-')
  return languages.find((tag) => tag === wanted) ?? ELSE
}
