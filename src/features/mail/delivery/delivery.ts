import type { Config } from '../../../config/config.ts'
import { type Mailbox, openMailbox } from '../dev-pages/mailbox.ts'
import type { Message } from '../templates/render-message.ts'

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
  if (smtpUrl)
    return openAtFirstEmail(async () => {
      const { openSmtp } = await import('./smtp.ts')
      return openSmtp(smtpUrl, mailFrom, brand)
    })
  const mailbox = openMailbox(dataDir)
  return { mailbox, deliver: (message) => mailbox.put(message), close: async () => {} }
}

/** Loads the mail library with the first email, because its memory and time count at every start. */
function openAtFirstEmail(open: () => Promise<Delivery>): Delivery {
  let opened: Promise<Delivery> | undefined
  return {
    async deliver(message, signal) {
      opened ??= open()
      await (await opened).deliver(message, signal)
    },
    async close() {
      await (await opened)?.close()
    },
  }
}
