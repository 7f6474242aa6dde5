import type { Brand } from '../../../brand/brand.ts'
import { EmailAddress } from '../../../lib/emails.ts'
import type { Keys } from '../../../lib/keys.ts'
import { type LanguageTag, languageOf } from '../../../lib/languages.ts'
import { linkToken, mailboxCode, temporaryPassword } from '../../../lib/secrets.ts'
import type { EmailKind, EmailParams, Recipient } from '../outbox/emails.ts'
import { carriesPassword, isLinked, linkFor, pageFor, secondPageFor } from './buttons.ts'
import { formatMessage, localeFormatFor } from './format.ts'
import { type EmailContent, layOut } from './layout.ts'
import { personShown } from './names.ts'
import { PermanentDeliveryError } from './permanent-delivery-error.ts'
import { textsFor } from './texts/texts.ts'
import type { EmailTemplate, EmailTranslations } from './translations.ts'
import { variablesOf } from './variables.ts'

/** An email as the outbox stores it. */
export interface OutboxEmail {
  id: string
  kind: EmailKind
  recipient: Recipient
  params: EmailParams[EmailKind]
  secretId: string | null
  /** When the temporary password that it carries expires, ISO 8601. */
  passwordEndsAt: string | null
}

/** An email ready to be sent to its one recipient. It may carry a secret: it is never logged. */
export interface Message {
  /** The id in the outbox, the same for each attempt. */
  id: string
  kind: EmailKind
  to: { name: string; address: string }
  subject: string
  text: string
  html: string
}

export interface MessageDeps {
  keys: Keys
  /** Without a slash at the end. */
  appUrl: string
  brand: Brand
}

/** Not final: a newer version, which knows the kind, may be about to take over. */
class UnknownKindError extends Error {}

/**
 * Derives the secret of a link or password here, moments before the email is sent. An email that can't be rendered now
 * can't be later either, except one of a kind that only a newer version knows.
 */
export function messageOf(email: OutboxEmail, deps: MessageDeps): Message {
  try {
    return render(email, deps)
  } catch (error) {
    if (error instanceof PermanentDeliveryError || error instanceof UnknownKindError) throw error
    throw new PermanentDeliveryError(`It can't be rendered: ${(error as Error).message}`, { cause: error })
  }
}

function render(email: OutboxEmail, deps: MessageDeps): Message {
  const { id, kind, recipient } = email
  const { appUrl, brand } = deps
  const language = languageOf(recipient.locale)
  const text = {
    ...textOf(email, textsFor(recipient.locale), brand.name),
    secret: codeIn(email, deps) ?? passwordIn(email, deps),
    url: linkIn(email, deps, language) ?? pageFor(kind, { appUrl, language, companyId: companyOf(email) }),
    secondUrl: secondPageFor(kind, { appUrl, language }),
  }
  return {
    id,
    kind,
    to: { name: personShown(recipient.name) ?? '', address: oneAddress(recipient.email) },
    ...layOut(text, { language, brand }),
  }
}

/** The texts of an email in a language, without its secret. */
export function textOf(
  { kind, recipient, params, passwordEndsAt }: OutboxEmail,
  language: EmailTranslations,
  site: string,
): EmailContent {
  const template: EmailTemplate | undefined = language.emails[kind]
  if (!template) throw new UnknownKindError(`This version has no template for emails of the kind ${kind}`)

  const localeFormat = localeFormatFor({ ...recipient, ...('timezone' in params && { timezone: params.timezone }) })
  const variables = variablesOf({ params, name: recipient.name, site, passwordEndsAt })
  const format = (message: string) => formatMessage(message, variables, localeFormat)
  return {
    greeting: format(language.greeting),
    subject: format(template.subject),
    preview: format(template.preview),
    paragraphs: template.paragraphs.map(format),
    action: template.action && format(template.action),
    addressHint: format(language.addressHint),
    after: (template.after ?? []).map(format),
    secondAction: template.secondAction && format(template.secondAction),
    footer: format(template.footer ?? language.footer),
  }
}

const companyOf = ({ params }: OutboxEmail) => ('companyId' in params ? params.companyId : undefined)

function linkIn(email: OutboxEmail, { keys, appUrl }: MessageDeps, language: LanguageTag): string | undefined {
  const { kind, params, secretId } = email
  if (!isLinked(kind)) return undefined
  // Not as the secret of the row: a service of version 0.2.0 would take it for one that has expired, and give the email up.
  const linkId = 'linkId' in params ? params.linkId : secretId
  if (!linkId) throw new PermanentDeliveryError('The email was enqueued without its link')
  const token = linkToken(keys, linkId, kind === 'invitation' ? 'invitation' : 'account')
  return linkFor(kind, token, { appUrl, language })
}

function passwordIn({ kind, params, secretId }: OutboxEmail, { keys }: MessageDeps): string | undefined {
  if (!carriesPassword(kind)) return undefined
  const { kid } = params as EmailParams[typeof kind]
  const keySet = keys.accepted.find((candidate) => candidate.kid === kid)
  if (!secretId || !keySet)
    throw new PermanentDeliveryError('The secret that its password is derived with is no longer known')
  return temporaryPassword(keySet, secretId)
}

function codeIn({ kind, params }: OutboxEmail, { keys }: MessageDeps): string | undefined {
  if (kind !== 'mailbox_code') return undefined
  return mailboxCode(keys.current, (params as EmailParams[typeof kind]).codeId)
}

/** Checked where it came in; checked again because a second recipient in it would be handed a link. */
function oneAddress(email: string): string {
  const address = EmailAddress.safeParse(email).data
  if (address !== email) throw new PermanentDeliveryError('The recipient is not one plain email address')
  return address
}
