import type { Delivery } from '../../src/features/mail/delivery/delivery.ts'
import type { EmailKind } from '../../src/features/mail/outbox/emails.ts'
import type { Message } from '../../src/features/mail/templates/render-message.ts'

/** Receives what the service sends, in place of an SMTP server. */
export interface TestMailbox {
  delivery: Delivery
  /** Lets the service deliver what is due; set by the test application. */
  collect(): Promise<unknown>
  /** The emails to an address until now, the oldest first. */
  to(email: string, kind?: EmailKind): Promise<Message[]>
  /** All emails until now, the oldest first. */
  all(): Promise<Message[]>
  /** The token in the newest email of a kind. */
  token(email: string, kind: EmailKind): Promise<string>
  /** Forgets the emails until now. */
  forget(): void
}

export function createTestMailbox(): TestMailbox {
  const messages: Message[] = []
  const mailbox: TestMailbox = {
    delivery: { deliver: async (message) => void messages.push(message), close: async () => {} },
    collect: async () => {},
    async all() {
      while (await mailbox.collect());
      return messages.toSorted((a, b) => a.id.localeCompare(b.id)) // In the order in which they were written, not delivered.
    },
    async to(email, kind) {
      const all = await mailbox.all()
      return all.filter(({ to, kind: its }) => to.address === email && (kind === undefined || its === kind))
    },
    async token(email, kind) {
      const message = (await mailbox.to(email, kind)).at(-1)
      const token = /[?&]token=([\w-]+)/.exec(message?.text ?? '')?.[1]
      if (!token) throw new Error(`No email ${kind} with a link to ${email}`)
      return token
    },
    forget: () => void messages.splice(0),
  }
  return mailbox
}
