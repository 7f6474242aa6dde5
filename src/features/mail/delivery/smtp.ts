import { createTransport, type NodemailerError } from 'nodemailer'
import type { Brand } from '../../../brand/brand.ts'
import { LOGO_CID } from '../templates/layout.ts'
import { PermanentDeliveryError } from '../templates/permanent-delivery-error.ts'
import type { Message } from '../templates/render-message.ts'

const CONNECT_MS = 10_000
const SILENCE_MS = 30_000

interface SmtpOptions {
  mailFrom: string
  brand: Brand
  /** As many as emails are delivered at once, so that a slow recipient delays no other. */
  connectionsMax: number
}

/**
 * Sends by the server at this address, with STARTTLS when the server offers it and a valid certificate. An attacker on the
 * network could hide the offer, so with a password in the address nothing is sent without STARTTLS; `?requireTLS=true`
 * demands it without a password too, `?requireTLS=false` never.
 */
export function openSmtp(smtpUrl: string, { mailFrom, brand: { logo }, connectionsMax }: SmtpOptions) {
  const from = senderIn(mailFrom)
  const domain = from.address.slice(from.address.indexOf('@') + 1)
  // What the layout shows by its name: nothing is loaded from elsewhere when the email is opened.
  const attachments =
    logo.type === 'image/png'
      ? [{ filename: logo.file, content: logo.content, contentType: logo.type, cid: LOGO_CID }]
      : []
  const transport = createTransport({
    url: smtpUrl,
    pool: true,
    requireTLS: sendsPassword(smtpUrl),
    maxConnections: connectionsMax,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
  })
  return {
    async deliver({ id, to, subject, text, html }: Message, signal?: AbortSignal): Promise<void> {
      // Recipients as objects: in a string a comma would reach two people.
      const mail = {
        from,
        to,
        subject,
        text,
        html,
        attachments,
        messageId: `<${id}@${domain}>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
      }
      await transport
        .sendMail({ ...mail, signal, disableFileAccess: true, disableUrlAccess: true })
        .catch(rejectPermanently)
    },
    async close(): Promise<void> {
      transport.close()
    },
  }
}

/** Connects, and signs in where the address has a password, without sending anything. Throws what the server or network says. */
export async function verifySmtp(smtpUrl: string): Promise<void> {
  const timeouts = { connectionTimeout: CONNECT_MS, greetingTimeout: CONNECT_MS, dnsTimeout: CONNECT_MS }
  const transport = createTransport({ url: smtpUrl, requireTLS: sendsPassword(smtpUrl), ...timeouts })
  try {
    await transport.verify()
  } finally {
    transport.close()
  }
}

/** Only to another machine: a password sent to this one stays here. */
function sendsPassword(smtpUrl: string): boolean {
  const { password, hostname } = new URL(smtpUrl)
  return password !== '' && !/^(localhost|127(\.\d+){3}|\[::1\])$/i.test(hostname)
}

/** `Name <address>` or an address, as config.ts has checked; taken apart here because a name may have a comma. */
export function senderIn(mailFrom: string): { name: string; address: string } {
  const [, name = '', address = mailFrom] = /^(.*) <(.*)>$/.exec(mailFrom) ?? []
  return { name: name.trim(), address }
}

/** Replies to RCPT TO that say: not this recipient, not later either. Refusals of anything else may be a fault of settings. */
function rejectPermanently(error: NodemailerError): never {
  const { command, responseCode = 0, message } = error
  if (command === 'RCPT TO' && responseCode >= 550 && responseCode <= 554)
    throw new PermanentDeliveryError(message, { cause: error })
  throw error
}
