/** Something that was sent and has to be answered in time. */
export interface Awaited {
  /** By `performance.now()`. */
  readonly dueAt: number
  /** Called when there is no answer by then; it is no longer awaited. `reason`: why its answer, if any, does not count. */
  expire(reason?: Error): void
}

/** A timer that fires so late tells that this process got no CPU, or was busy, for a while. */
const LATE_MS = 50
/** Enough to read what has arrived meanwhile. */
const READ_MS = 100

/**
 * Watches what one connection awaits, with one timer for all of it. A timer for each statement is what the driver offers:
 * those outlived their requests, and with them every result, until the next full garbage collection.
 */
export class Deadlines {
  /** In the order in which it was sent, which is that of the answers. */
  readonly #awaited: Awaited[] = []
  #timer: NodeJS.Timeout | undefined
  #firesAt = Number.POSITIVE_INFINITY
  #isReading = false

  add(sent: Awaited): void {
    this.#awaited.push(sent)
    if (sent.dueAt < this.#firesAt) this.#fireAt(sent.dueAt)
  }

  /** Leaves the timer as it is, because most connections send again before it fires. */
  remove(answered: Awaited): void {
    const place = this.#awaited.indexOf(answered)
    if (place === 0) this.#awaited.shift()
    else if (place > 0) this.#awaited.splice(place, 1)
  }

  /** Nothing is awaited any more. */
  expireAll(reason: Error): void {
    for (const sent of this.#awaited.splice(0)) sent.expire(reason)
  }

  #fireAt(time: number): void {
    clearTimeout(this.#timer)
    this.#firesAt = time
    this.#timer = setTimeout(() => this.#fire(time), Math.max(1, Math.ceil(time - performance.now()))).unref()
  }

  /**
   * After a pause of the process timers run before sockets are read, so the answers are given a moment. Otherwise a pause
   * would end every connection on which something is under way, and refuse what the database has done.
   */
  #fire(time: number): void {
    const now = performance.now()
    this.#isReading = !this.#isReading && now - time > LATE_MS
    if (this.#isReading) this.#fireAt(now + READ_MS)
    else this.#expireAt(now)
  }

  #expireAt(now: number): void {
    this.#firesAt = Number.POSITIVE_INFINITY
    for (const overdue of this.#awaited.filter(({ dueAt }) => dueAt <= now)) {
      this.remove(overdue)
      overdue.expire()
    }
    if (this.#awaited.length > 0) this.#fireAt(Math.min(...this.#awaited.map(({ dueAt }) => dueAt)))
  }
}

const deadlinesOfConnections = new WeakMap<object, Deadlines>()

export function deadlinesOf(connection: object): Deadlines {
  const known = deadlinesOfConnections.get(connection)
  if (known) return known
  const deadlines = new Deadlines()
  deadlinesOfConnections.set(connection, deadlines)
  return deadlines
}
