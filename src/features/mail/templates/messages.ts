import type { Brand } from '../../../brand/brand.ts'
import { EmailAddress } from '../../../lib/emails.ts'
import type { Keys } from '../../../lib/keys.ts'
import { type LanguageTag, languageOf } from '../../../lib/languages.ts'
import { linkToken, temporaryPassword } from '../../../lib/secrets.ts'
import type { EmailKind, EmailParams } from '../outbox/enqueue.ts'
import { mannerFor, phrase } from './format.ts'
import { layOut, type Text } from './layout.ts'
import { carriesPassword, isLinked, linkFor, openPageFor, secondPageFor } from './links.ts'
import { personShown } from './names.ts'
import { textsFor } from './texts/texts.ts'
import type { Language, Wording } from './translations.ts'
import { factsOf } from './variables.ts'

/** A letter as it lies in the outbox. */
export interface OutboxLetter {
  id: string
  kind: EmailKind
  recipient: { email: string; name: string; locale: string }
  params: EmailParams[EmailKind]
  secretId: string | null
  /** When the temporary password that it carries is over, ISO 8601. */
  passwordEndsAt: string | null
}

/** A letter ready to go to its one recipient. It may open an account: it is never logged. */
export interface Message {
  /** The letter's, however often it is delivered. */
  id: string
  kind: EmailKind
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
  brand: Brand
}

/** The secret of a link comes into being here, moments before it leaves. */
export function messageOf(letter: OutboxLetter, writing: Writing): Message {
  const { id, kind, recipient } = letter
  const { appUrl, brand } = writing
  const language = languageOf(recipient.locale)
  const text = {
    ...textOf(letter, textsFor(recipient.locale), brand.name),
    secret: passwordIn(letter, writing),
    url: linkIn(letter, writing, language) ?? openPageFor(kind, { appUrl, language }),
    secondUrl: secondPageFor(kind, { appUrl, language }),
  }
  return {
    id,
    kind,
    to: { name: personShown(recipient.name) ?? '', address: oneAddress(recipient.email) },
    ...layOut(text, { language, brand }),
  }
}

/** What the letter says in a language, its secret aside. */
export function textOf(
  { kind, recipient, params, passwordEndsAt }: OutboxLetter,
  language: Language,
  site: string,
): Text {
  const wording: Wording | undefined = language.letters[kind]
  // Not final: a newer version, which knows the kind, may be about to take over.
  if (!wording) throw new Error(`This version has no text for letters of the kind ${kind}`)

  const manner = mannerFor({ ...recipient, ...('timezone' in params && { timezone: params.timezone }) })
  const facts = factsOf({ params, name: recipient.name, site, passwordEndsAt })
  const say = (message: string) => phrase(message, facts, manner)
  return {
    greeting: say(language.greeting),
    subject: say(wording.subject),
    preview: say(wording.preview),
    paragraphs: wording.paragraphs.map(say),
    action: wording.action && say(wording.action),
    addressHint: say(language.addressHint),
    after: (wording.after ?? []).map(say),
    secondAction: wording.secondAction && say(wording.secondAction),
    footer: say(language.footer),
  }
}

function linkIn(
  { kind, secretId }: OutboxLetter,
  { keys, appUrl }: Writing,
  language: LanguageTag,
): string | undefined {
  if (!isLinked(kind)) return undefined
  if (!secretId) throw new Undeliverable('The letter was posted without its link')
  return linkFor(kind, linkToken(keys, secretId), { appUrl, language })
}

function passwordIn({ kind, params, secretId }: OutboxLetter, { keys }: Writing): string | undefined {
  if (!carriesPassword(kind)) return undefined
  const { kid } = params as EmailParams[typeof kind]
  const keySet = keys.accepted.find((candidate) => candidate.kid === kid)
  if (!secretId || !keySet) throw new Undeliverable('The secret that its password is derived with is no longer known')
  return temporaryPassword(keySet, secretId)
}

/** Checked where it came in; checked again because a second recipient in it would be handed a link. */
function oneAddress(email: string): string {
  const address = EmailAddress.safeParse(email).data
  if (address !== email) throw new Undeliverable('The recipient is not one plain e-mail address')
  return address
}
