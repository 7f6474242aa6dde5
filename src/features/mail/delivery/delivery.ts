import type { Config } from '../../../config/config.ts'
import { type Mailbox, openMailbox } from '../dev-pages/mailbox.ts'
import type { Message } from '../templates/render-message.ts'
import { openSmtp } from './smtp.ts'

/** The transport of emails. */
export interface Delivery {
  /** Resolves when the server has accepted the email; `PermanentDeliveryError`: trying again would not help. */
  deliver(message: Message, signal?: AbortSignal): Promise<void>
  close(): Promise<void>
  /** Where emails are kept when no SMTP server is set. */
  mailbox?: Mailbox
}

export function openDelivery({
  smtpUrl,
  mailFrom,
  dataDir,
  brand,
}: Pick<Config, 'smtpUrl' | 'mailFrom' | 'dataDir' | 'brand'>): Delivery {
  if (smtpUrl) return openSmtp(smtpUrl, mailFrom, brand)
  const mailbox = openMailbox(dataDir)
  return { mailbox, deliver: (message) => mailbox.put(message), close: async () => {} }
}
