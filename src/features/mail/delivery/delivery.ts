import type { Config } from '../../../config/config.ts'
import { partOf } from '../../../lib/processes.ts'
import { type Mailbox, openMailbox } from '../dev-pages/mailbox.ts'
import type { Message } from '../templates/render-message.ts'

/** As many emails of one node are delivered at the same time; its processes divide them. */
const EMAILS_AT_ONCE = 10

/** The transport of emails. */
export interface Delivery {
  /** Resolves when the server has accepted the email; `PermanentDeliveryError`: trying again would not help. */
  deliver(message: Message, signal?: AbortSignal): Promise<void>
  close(): Promise<void>
  /** Where emails are kept when no SMTP server is set. */
  mailbox?: Mailbox
}

type DeliveryConfig = Pick<Config, 'smtpUrl' | 'mailFrom' | 'dataDir' | 'brand'> & { workers?: number }

export const emailsAtOnce = (processes: number) => partOf(EMAILS_AT_ONCE, processes)

export function openDelivery({ smtpUrl, mailFrom, dataDir, brand, workers = 1 }: DeliveryConfig): Delivery {
  if (smtpUrl)
    return openAtFirstEmail(async () => {
      const { openSmtp } = await import('./smtp.ts')
      return openSmtp(smtpUrl, { mailFrom, brand, connectionsMax: emailsAtOnce(workers) })
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
