import type { Config } from '../../../config/config.ts'
import { type Mailbox, openMailbox } from '../dev-pages/mailbox.ts'
import type { Message } from '../templates/messages.ts'
import { openSmtp } from './smtp.ts'

/** The way that letters leave. */
export interface Delivery {
  /** Resolves when somebody else is responsible for the letter; throws `Undeliverable` when nobody ever will be. */
  deliver(message: Message, signal?: AbortSignal): Promise<void>
  close(): Promise<void>
  /** Where the letters lie when they are not sent. */
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
