import type { LetterKind, Letters } from './letters.ts'
import type { LinkedKind, PasswordKind } from './links.ts'

/** What a letter says, in the order of reading; plain text, that the layout escapes. */
export interface Text {
  subject: string
  /** What a list of letters shows beside the subject. */
  preview: string
  paragraphs: string[]
  /** Stands alone, to be copied. */
  secret?: string
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
  /** In those kinds that carry a temporary password. */
  password: Kind extends PasswordKind ? string : undefined
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
