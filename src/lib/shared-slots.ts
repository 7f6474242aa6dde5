/** No slot became free within the time that the caller was ready to wait. */
export class SharedSlotsTakenError extends Error {}

interface Waiter {
  holder: string | undefined
  start: () => void
}

/**
 * A number of slots, of which one holder has a few at most, so that one holder can't make all others wait. A free slot goes to the holder
 * that has the fewest, of these to who has waited longest: a few holders with a share each would otherwise stand in front of everybody,
 * by the many that wait for them.
 */
export class SharedSlots {
  readonly #share: number
  readonly #takenBy = new Map<string, number>()
  readonly #waiting = new Set<Waiter>()
  #free: number

  /** `count`: all slots. `share`: how many of them one holder may have. */
  constructor({ count, share }: { count: number; share: number }) {
    this.#free = count
    this.#share = share
  }

  /** How many wait for a slot. */
  get waiting(): number {
    return this.#waiting.size
  }

  /**
   * Resolves with a function that releases the slot, to be called once. Without a holder no share is counted. Throws a
   * SharedSlotsTakenError after `timeoutMs`.
   */
  async take(holder: string | undefined, timeoutMs: number): Promise<() => void> {
    if (this.#canTake(holder)) this.#assign(holder)
    else await this.#wait(holder, timeoutMs)
    return () => this.#release(holder)
  }

  #canTake(holder: string | undefined): boolean {
    return this.#free > 0 && this.#taken(holder) < this.#share
  }

  #wait(holder: string | undefined, timeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        clearTimeout(timer)
        this.#assign(holder)
        resolve()
      }
      const waiter = { holder, start }
      const timer = setTimeout(() => {
        this.#waiting.delete(waiter)
        reject(new SharedSlotsTakenError('No slot became free in time'))
      }, timeoutMs)
      this.#waiting.add(waiter)
    })
  }

  #assign(holder: string | undefined): void {
    this.#free--
    if (holder !== undefined) this.#takenBy.set(holder, (this.#takenBy.get(holder) ?? 0) + 1)
  }

  #release(holder: string | undefined): void {
    this.#free++
    if (holder !== undefined) {
      const left = (this.#takenBy.get(holder) ?? 0) - 1
      if (left > 0) this.#takenBy.set(holder, left)
      else this.#takenBy.delete(holder)
    }
    this.#startNext()
  }

  #startNext(): void {
    const next = this.#next()
    if (!next) return
    this.#waiting.delete(next)
    next.start()
  }

  /** They are in the order in which they came. */
  #next(): Waiter | undefined {
    let next: Waiter | undefined
    for (const waiter of this.#waiting) {
      if (this.#taken(waiter.holder) === 0) return waiter
      if (this.#canTake(waiter.holder) && (!next || this.#taken(waiter.holder) < this.#taken(next.holder)))
        next = waiter
    }
    return next
  }

  #taken(holder: string | undefined): number {
    return holder === undefined ? 0 : (this.#takenBy.get(holder) ?? 0)
  }
}
