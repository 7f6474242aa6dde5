import type { LetterKind, Letters } from './letters.ts'
import type { LinkedKind } from './links.ts'
import { en } from './texts/en.ts'

/** What a letter says, in the order of reading; plain text, that the layout escapes. */
export interface Text {
  subject: string
  /** What a list of letters shows beside the subject. */
  preview: string
  paragraphs: string[]
  /** The one thing to do. */
  action?: { label: string; url: string }
  /** Below the action. */
  after?: string[]
}

/** What a text may speak of. */
export interface Facts<Kind extends LetterKind> {
  params: Letters[Kind]
  /** The service as its users know it: the host of APP_URL. */
  site: string
  recoveryPage: string
  /** What the letter is for, in those kinds that carry a link. */
  link: Kind extends LinkedKind ? string : undefined
}

/** All letters in one language. A kind without a text is a type error. */
export interface Language {
  /** BCP 47. */
  tag: string
  /** Without a name when the recipient's is not fit to be repeated. */
  greeting(name: string | undefined): string
  /** Stands above the address of the action. */
  addressHint: string
  footer(site: string): string
  letters: { [Kind in LetterKind]: (facts: Facts<Kind>) => Text }
}

/** Another language is a file beside `en.ts` and an entry here. */
const languages = new Map([en].map((language) => [language.tag, language]))

/** By the language of a BCP 47 tag, whatever its region or script: `es-MX` is Spanish. English when we have no other. */
export function textsFor(locale: string): Language {
  const [language = ''] = locale.toLowerCase().split('-')
  return languages.get(language) ?? en
}
