import { problem } from '../problems.ts'

export interface FairQueueOptions {
  /** How many pieces of work run at the same time. */
  atOnceMax: number
  /** How many may wait, besides those for whom places are kept. */
  waitingMax: number
  /** Places kept for known requesters: strangers never take them. */
  keptForKnown: number
}

export interface Requester {
  /** Who shares one share, such as a network. */
  share: string
  isKnown: boolean
  /** The requester no longer waits for an answer. */
  isGone(): boolean
}

interface Waiter {
  requester: Requester
  start(): void
  refuse(): void
}

const RETRY_AFTER_SECONDS = 2

/**
 * Runs a bounded number of pieces of work at the same time. The others wait in line, one line for each share, and the
 * lines are served in rotation: a share that is alone uses everything, and one that floods delays the others by one turn.
 * When all places are taken, a share that waits for less than the longest line takes the place of its newest. Refused
 * work has not begun, and work is skipped when nobody waits for its answer. See docs/decisions/0018-fair-shares.md.
 */
export class FairQueue {
  readonly #options: FairQueueOptions
  readonly #known = new Lines()
  readonly #strangers = new Lines()
  #running = 0
  #knownGoNext = true

  constructor(options: FairQueueOptions) {
    this.#options = options
  }

  async run<Result>(requester: Requester, work: () => Promise<Result>): Promise<Result> {
    await this.#takePlace(requester)
    try {
      // Asked at the last moment: most of those who give up do so while they wait.
      if (requester.isGone()) throw refusal()
      return await work()
    } finally {
      this.#leave()
    }
  }

  async #takePlace(requester: Requester): Promise<void> {
    if (this.#running < this.#options.atOnceMax) {
      this.#running++
      return
    }
    this.#makeRoom(requester)
    const lines = requester.isKnown ? this.#known : this.#strangers
    await new Promise<void>((resolve, reject) => {
      lines.add({ requester, start: resolve, refuse: () => reject(refusal()) })
    })
  }

  /** The place passes on without becoming free in between. */
  #leave(): void {
    const next = this.#next()
    if (next) next.start()
    else this.#running--
  }

  /** Known requesters and strangers take turns, so that neither waits for more than as many of the other. */
  #next(): Waiter | undefined {
    const order = this.#knownGoNext ? [this.#known, this.#strangers] : [this.#strangers, this.#known]
    this.#knownGoNext = !this.#knownGoNext
    return order[0]?.takeNext() ?? order[1]?.takeNext()
  }

  /** Throws when the requester has to go away instead. */
  #makeRoom({ share, isKnown }: Requester): void {
    if (!this.#isFullFor(isKnown)) return
    for (const lines of [this.#known, this.#strangers]) lines.dropWhoHasGone()
    if (!this.#isFullFor(isKnown)) return
    const strangersBorrowed = !isKnown && this.#strangers.length < this.#options.waitingMax
    const own = isKnown ? this.#known : this.#strangers
    // Known requesters may borrow what strangers don't use, and give it back when strangers come.
    const given = strangersBorrowed ? this.#known.dropFromLongest(0) : own.dropFromLongest(own.lengthOf(share) + 1)
    if (!given) throw refusal()
  }

  #isFullFor(isKnown: boolean): boolean {
    const { waitingMax, keptForKnown } = this.#options
    if (!isKnown && this.#strangers.length >= waitingMax) return true
    return this.#strangers.length + this.#known.length >= waitingMax + keptForKnown
  }
}

/** One line for each share, in the order in which they are served next. */
class Lines {
  readonly #byShare = new Map<string, Waiter[]>()
  #length = 0

  get length(): number {
    return this.#length
  }

  lengthOf(share: string): number {
    return this.#byShare.get(share)?.length ?? 0
  }

  add(waiter: Waiter): void {
    const { share } = waiter.requester
    const line = this.#byShare.get(share) ?? []
    line.push(waiter)
    this.#byShare.set(share, line)
    this.#length++
  }

  takeNext(): Waiter | undefined {
    const [first] = this.#byShare
    if (!first) return undefined
    const [share, line] = first
    this.#byShare.delete(share)
    if (line.length > 1) this.#byShare.set(share, line)
    this.#length--
    return line.shift()
  }

  /** Refuses the newest waiter of the longest line, when that is longer than `lengthMin`; tells whether it did. */
  dropFromLongest(lengthMin: number): boolean {
    const longest = [...this.#byShare.values()].reduce((a, b) => (b.length > a.length ? b : a), [])
    if (longest.length <= lengthMin) return false
    this.#drop(longest.at(-1) as Waiter)
    return true
  }

  dropWhoHasGone(): void {
    const waiters = [...this.#byShare.values()].flat()
    for (const waiter of waiters) if (waiter.requester.isGone()) this.#drop(waiter)
  }

  #drop(waiter: Waiter): void {
    const { share } = waiter.requester
    const rest = (this.#byShare.get(share) ?? []).filter((each) => each !== waiter)
    if (rest.length > 0) this.#byShare.set(share, rest)
    else this.#byShare.delete(share)
    this.#length--
    waiter.refuse()
  }
}

const refusal = () => problem('overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS })
