import type { EmailKind } from '../outbox/emails.ts'
import type { ButtonKind, SecondLinkKind } from './buttons.ts'

/**
 * All emails in one language. Every text is an ICU message over the variables of variables.ts; a kind or a text that is
 * missing is a type error, and what types can't check (arguments, plural forms, unused texts) is for texts.test.ts.
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

/** The texts of an email in reading order; a temporary password or a code stands between `paragraphs` and `after`. */
export interface EmailTemplate {
  subject: string
  /** The preview text that mail programs show beside the subject. */
  preview: string
  paragraphs: readonly string[]
  /** On the button, the one thing to do; where it leads is for links.ts to say. */
  action?: string
  /** Below the button. */
  after?: readonly string[]
  /** Stands last, above a second link that some readers need instead of the button. */
  secondAction?: string
  /** Instead of that of all emails, which speaks to people with an account. */
  footer?: string
}
