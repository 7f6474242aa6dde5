/** No slot became free in time. */
export class SlotsTakenError extends Error {}

interface Waiting {
  holder: string | undefined
  begin: () => void
}

/**
 * A number of slots of which one holder has a few at most, so that what it does at once can't keep all others waiting.
 * Waiting requests get a free slot in the order in which they came, except that those of a holder who has its share are
 * passed over until it gives one back.
 */
export class Slots {
  readonly #share: number
  readonly #held = new Map<string, number>()
  readonly #waiting = new Set<Waiting>()
  #free: number

  constructor({ count, share }: { count: number; share: number }) {
    this.#free = count
    this.#share = share
  }

  /** Gives what returns the slot, to be called once. Without a holder nobody's share is counted. */
  async take(holder: string | undefined, patienceMs: number): Promise<() => void> {
    if (this.#isOpenTo(holder)) this.#hold(holder)
    else await this.#wait(holder, patienceMs)
    return () => this.#release(holder)
  }

  #isOpenTo(holder: string | undefined): boolean {
    return this.#free > 0 && (holder === undefined || (this.#held.get(holder) ?? 0) < this.#share)
  }

  #wait(holder: string | undefined, patienceMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer)
        this.#hold(holder)
        resolve()
      }
      const waiting = { holder, begin }
      const timer = setTimeout(() => {
        this.#waiting.delete(waiting)
        reject(new SlotsTakenError('No slot became free in time'))
      }, patienceMs)
      this.#waiting.add(waiting)
    })
  }

  #hold(holder: string | undefined): void {
    this.#free--
    if (holder !== undefined) this.#held.set(holder, (this.#held.get(holder) ?? 0) + 1)
  }

  #release(holder: string | undefined): void {
    this.#free++
    if (holder !== undefined) {
      const left = (this.#held.get(holder) ?? 0) - 1
      if (left > 0) this.#held.set(holder, left)
      else this.#held.delete(holder)
    }
    this.#beginNext()
  }

  #beginNext(): void {
    const next = this.#waiting.values().find(({ holder }) => this.#isOpenTo(holder))
    if (!next) return
    this.#waiting.delete(next)
    next.begin()
  }
}
