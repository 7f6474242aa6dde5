import { problem } from '../problems.ts'

export interface FairQueueOptions {
  /** How many pieces of work run at the same time. */
  atOnceMax: number
  /** How many may wait, besides those in reserved places. */
  waitingMax: number
  /** How many more known requesters may wait; unknown requesters never take these places. */
  reservedForKnown: number
}

export interface Requester {
  /** Requesters with the same share, such as a network, wait in the same queue. */
  share: string
  isKnown: boolean
  /** The requester no longer waits for a response. */
  isDisconnected(): boolean
}

export interface QueueStats {
  /** How many pieces of work may run at the same time. */
  atOnceMax: number
  running: number
  waiting: number
  /** Since the start. */
  refused: number
}

interface Waiter {
  requester: Requester
  start(): void
  refuse(): void
}

const RETRY_AFTER_SECONDS = 2

/**
 * Runs a bounded number of pieces of work at the same time. The others wait, in one queue for each share, and the
 * queues are served in rotation: a share that is alone uses all capacity, and one that floods delays each other share
 * by one piece of work. When all waiting places are taken, a requester whose share has fewer waiting than the longest
 * queue takes the place of the newest in that queue. Work that is refused, or whose requester has disconnected, is not
 * begun. See docs/decisions/0018-fair-shares.md.
 */
export class FairQueue {
  readonly #options: FairQueueOptions
  readonly #known = new ShareQueues()
  readonly #unknown = new ShareQueues()
  #running = 0
  #refused = 0
  #knownGoNext = true

  constructor(options: FairQueueOptions) {
    this.#options = options
  }

  get stats(): QueueStats {
    const waiting = this.#known.length + this.#unknown.length
    return { atOnceMax: this.#options.atOnceMax, running: this.#running, waiting, refused: this.#refused }
  }

  /** Resolves with the result of `work`. Throws the problem `overloaded` when the work is refused. */
  async run<Result>(requester: Requester, work: () => Promise<Result>): Promise<Result> {
    try {
      await this.#waitForTurn(requester)
    } catch (refusal) {
      this.#refused++
      throw refusal
    }
    try {
      // Checked at the last moment, because most requesters that disconnect do so while they wait.
      if (requester.isDisconnected()) throw overloaded()
      return await work()
    } finally {
      this.#startNext()
    }
  }

  async #waitForTurn(requester: Requester): Promise<void> {
    if (this.#running < this.#options.atOnceMax) {
      this.#running++
      return
    }
    this.#makeRoom(requester)
    const queues = requester.isKnown ? this.#known : this.#unknown
    await new Promise<void>((resolve, reject) => {
      queues.add({ requester, start: resolve, refuse: () => reject(overloaded()) })
    })
  }

  /** The next waiter starts in place of the work that has ended, so the number of running ones stays the same. */
  #startNext(): void {
    const next = this.#takeNext()
    if (next) next.start()
    else this.#running--
  }

  /** Known and unknown requesters alternate, so that neither waits for more than as many of the other. */
  #takeNext(): Waiter | undefined {
    const order = this.#knownGoNext ? [this.#known, this.#unknown] : [this.#unknown, this.#known]
    this.#knownGoNext = !this.#knownGoNext
    return order[0]?.takeNext() ?? order[1]?.takeNext()
  }

  /** Throws when no place can be freed for the requester. */
  #makeRoom({ share, isKnown }: Requester): void {
    if (!this.#isFullFor(isKnown)) return
    for (const queues of [this.#known, this.#unknown]) queues.dropDisconnected()
    if (!this.#isFullFor(isKnown)) return
    const knownHaveBorrowed = !isKnown && this.#unknown.length < this.#options.waitingMax
    const own = isKnown ? this.#known : this.#unknown
    // Known requesters borrow places that unknown ones do not use, and lose them when unknown ones come.
    const hasRoom = knownHaveBorrowed ? this.#known.dropFromLongest(0) : own.dropFromLongest(own.lengthOf(share) + 1)
    if (!hasRoom) throw overloaded()
  }

  #isFullFor(isKnown: boolean): boolean {
    const { waitingMax, reservedForKnown } = this.#options
    if (!isKnown && this.#unknown.length >= waitingMax) return true
    return this.#unknown.length + this.#known.length >= waitingMax + reservedForKnown
  }
}

/** One queue for each share, in the order in which they are served next. */
class ShareQueues {
  readonly #byShare = new Map<string, Waiter[]>()
  #length = 0

  /** The number of waiters in all queues. */
  get length(): number {
    return this.#length
  }

  lengthOf(share: string): number {
    return this.#byShare.get(share)?.length ?? 0
  }

  add(waiter: Waiter): void {
    const { share } = waiter.requester
    const queue = this.#byShare.get(share) ?? []
    queue.push(waiter)
    this.#byShare.set(share, queue)
    this.#length++
  }

  takeNext(): Waiter | undefined {
    const [first] = this.#byShare
    if (!first) return undefined
    const [share, queue] = first
    this.#byShare.delete(share)
    if (queue.length > 1) this.#byShare.set(share, queue)
    this.#length--
    return queue.shift()
  }

  /** Refuses the newest waiter of the longest queue, when that is longer than `lengthMin`. Returns whether it did. */
  dropFromLongest(lengthMin: number): boolean {
    const longest = [...this.#byShare.values()].reduce((a, b) => (b.length > a.length ? b : a), [])
    if (longest.length <= lengthMin) return false
    this.#drop(longest.at(-1) as Waiter)
    return true
  }

  dropDisconnected(): void {
    const waiters = [...this.#byShare.values()].flat()
    for (const waiter of waiters) if (waiter.requester.isDisconnected()) this.#drop(waiter)
  }

  #drop(waiter: Waiter): void {
    const { share } = waiter.requester
    const rest = (this.#byShare.get(share) ?? []).filter((other) => other !== waiter)
    if (rest.length > 0) this.#byShare.set(share, rest)
    else this.#byShare.delete(share)
    this.#length--
    waiter.refuse()
  }
}

const overloaded = () => problem('overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS })
