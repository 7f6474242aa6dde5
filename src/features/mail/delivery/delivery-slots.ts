import type { Capacity, ClaimedEmail } from '../outbox/outbox.ts'
import { emailsAtOnce } from './delivery.ts'

/** Less than all, so that a domain whose server hangs leaves slots for others. */
const SHARE_OF_DOMAIN = 0.3

/** The deliveries that are under way. One domain gets a few of the slots at most, and domains take turns. */
export class DeliverySlots {
  /** With the domain of the recipient. */
  readonly #underWay = new Map<Promise<void>, string>()
  readonly #max: number
  readonly #perDomain: number
  /** Where the next turn of many domains begins. */
  lastDomain = ''

  /** `processes`: as many divide the slots of this node. */
  constructor(processes = 1) {
    this.#max = emailsAtOnce(processes)
    this.#perDomain = Math.max(1, Math.floor(this.#max * SHARE_OF_DOMAIN))
  }

  get capacity(): Capacity {
    const underWay = [...this.#underWay.values()]
    const emailsMax = this.#max - underWay.length
    return { emailsMax, perDomain: this.#perDomain, underWay, afterDomain: this.lastDomain }
  }

  /** `onRoom` is called when the work has ended and more of what is due may begin. */
  add({ recipient }: ClaimedEmail, work: Promise<void>, onRoom: () => void): Promise<void> {
    const domain = recipient.email.slice(recipient.email.lastIndexOf('@') + 1)
    const held = work.finally(() => {
      const isFull = this.#isFullFor(domain)
      this.#underWay.delete(held)
      if (isFull) onRoom()
    })
    this.#underWay.set(held, domain)
    return held
  }

  #isFullFor(domain: string): boolean {
    const domains = [...this.#underWay.values()]
    return domains.length === this.#max || domains.filter((other) => other === domain).length === this.#perDomain
  }

  /** Resolves when those that are under way now have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#underWay.keys())
  }
}
