import { EmailAddress } from '../../lib/emails.ts'
import type { Keys } from '../../lib/keys.ts'
import { temporaryPassword } from '../../lib/secrets.ts'
import type { Facts, Text } from './language.ts'
import { layOut, oneLine, quotable } from './layout.ts'
import type { LetterKind, Letters } from './letters.ts'
import { carriesPassword, isLinked, linkFor, recoveryPage } from './links.ts'
import { textsFor } from './texts.ts'

/** A letter as it lies in the outbox. */
export interface OutboxLetter {
  id: string
  kind: LetterKind
  recipient: { email: string; name: string; locale: string }
  params: Letters[LetterKind]
  secretId: string | null
}

/** A letter ready to go to its one recipient. It may open an account: it is never logged. */
export interface Message {
  /** The letter's, however often it is delivered. */
  id: string
  kind: LetterKind
  to: { name: string; address: string }
  subject: string
  text: string
  html: string
}

/** Trying again would not help: the letter is given up. */
export class Undeliverable extends Error {}

export interface Writing {
  keys: Keys
  /** Without a slash at the end. */
  appUrl: string
}

/** The secret of a link comes into being here, moments before it leaves. */
export function messageOf(letter: OutboxLetter, writing: Writing): Message {
  const { id, kind, recipient } = letter
  const language = textsFor(recipient.locale)
  // Kind and params belong together since `post`; here they are one letter among all kinds.
  const write = language.letters[kind] as ((facts: Facts<LetterKind>) => Text) | undefined
  // Not final: a newer version, which knows the kind, may be about to take over.
  if (!write) throw new Error(`This version has no text for letters of the kind ${kind}`)

  const site = new URL(writing.appUrl).host
  const text = write({
    params: fitToQuote(letter.params),
    site,
    recoveryPage: recoveryPage(writing.appUrl),
    link: linkIn(letter, writing) as never,
    password: passwordIn(letter, writing) as never,
  })
  return {
    id,
    kind,
    to: { name: oneLine(recipient.name), address: oneAddress(recipient.email) },
    ...layOut(text, { language, name: recipient.name, site }),
  }
}

function linkIn({ kind, secretId }: OutboxLetter, { keys, appUrl }: Writing): string | undefined {
  if (!isLinked(kind)) return undefined
  if (!secretId) throw new Undeliverable('The letter was posted without its link')
  return linkFor(kind, secretId, keys, appUrl)
}

function passwordIn({ kind, params, secretId }: OutboxLetter, { keys }: Writing): string | undefined {
  if (!carriesPassword(kind)) return undefined
  const { kid } = params as Letters[typeof kind]
  const keySet = keys.accepted.find((candidate) => candidate.kid === kid)
  if (!secretId || !keySet) throw new Undeliverable('The secret that its password is derived with is no longer known')
  return temporaryPassword(keySet, secretId)
}

/** Anybody can found a company with an advertisement for a name: that we don't send about. */
function fitToQuote(params: Letters[LetterKind]): Letters[LetterKind] {
  return 'company' in params && !quotable(params.company) ? { ...params, company: '' } : params
}

/** Checked where it came in; checked again because a second recipient in it would be handed a link. */
function oneAddress(email: string): string {
  const address = EmailAddress.safeParse(email).data
  if (address !== email) throw new Undeliverable('The recipient is not one plain e-mail address')
  return address
}
