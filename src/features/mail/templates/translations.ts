import type { EmailKind } from '../outbox/enqueue.ts'
import type { ButtonKind, SecondLinkKind } from './links.ts'

/**
 * All letters in one language. Every text is an ICU message over the facts of facts.ts; a kind or a text that is missing
 * is a type error, and what the types can't see (arguments, plural forms, unused texts) is for texts.test.ts.
 */
export interface EmailTranslations {
  greeting: string
  /** Stands above the address of the button. */
  addressHint: string
  footer: string
  emails: {
    [Kind in EmailKind]: EmailTemplate &
      (Kind extends ButtonKind ? { action: string } : unknown) &
      (Kind extends SecondLinkKind ? { secondAction: string } : unknown)
  }
}

/** What a letter says, in the order of reading; a temporary password stands between `paragraphs` and `after`. */
export interface EmailTemplate {
  subject: string
  /** What a list of letters shows beside the subject. */
  preview: string
  paragraphs: readonly string[]
  /** On the button, the one thing to do; where it leads is for links.ts to say. */
  action?: string
  /** Below the button. */
  after?: readonly string[]
  /** Stands last, with the address of what some readers need instead of the button. */
  secondAction?: string
}
