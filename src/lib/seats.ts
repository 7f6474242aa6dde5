interface Seat {
  /** Undefined: no share bounds it. */
  share: string | undefined
  /** How many requests of it are being answered. */
  working: number
}

interface Share<Holder> {
  count: number
  /** Who is not being served, the longest idle first. */
  idle: Set<Holder>
}

/**
 * Who may stay when there is room for so many only. Above half of the room one share holds a quarter at most; when there
 * is no room left the largest share gives up a seat. Whoever leaves is idle, the longest idle first, and the newcomer
 * itself when nobody else is. See docs/decisions/0018-fair-shares.md.
 */
export class Seats<Holder> {
  readonly #max: number
  readonly #seats = new Map<Holder, Seat>()
  readonly #shares = new Map<string | undefined, Share<Holder>>()
  /** Those that hold more than a quarter: three at most. */
  readonly #large = new Set<string>()

  constructor(max: number) {
    this.#max = max
  }

  get taken(): number {
    return this.#seats.size
  }

  /** Takes a seat, and tells who has lost theirs. */
  take(holder: Holder, share: string | undefined): Holder[] {
    this.#seats.set(holder, { share, working: 0 })
    const own = this.#shares.get(share) ?? { count: 0, idle: new Set<Holder>() }
    this.#shares.set(share, own)
    own.idle.add(holder)
    own.count++
    this.#noteSize(share, own)
    return [...this.#shrinkLargeShares(), ...this.#makeRoom(holder)]
  }

  work(holder: Holder): void {
    const seat = this.#seats.get(holder)
    if (!seat) return
    seat.working++
    this.#shares.get(seat.share)?.idle.delete(holder)
  }

  rest(holder: Holder): void {
    const seat = this.#seats.get(holder)
    if (!seat || seat.working === 0) return
    seat.working--
    if (seat.working === 0) this.#shares.get(seat.share)?.idle.add(holder)
  }

  leave(holder: Holder): void {
    const seat = this.#seats.get(holder)
    const share = seat && this.#shares.get(seat.share)
    if (!share) return
    this.#seats.delete(holder)
    share.idle.delete(holder)
    share.count--
    this.#noteSize(seat.share, share)
    if (share.count === 0) this.#shares.delete(seat.share)
  }

  *#shrinkLargeShares(): Generator<Holder> {
    for (const name of this.#large) {
      const share = this.#shares.get(name)
      while (share && this.taken > this.#max / 2 && this.#isLarge(share)) {
        const [longestIdle] = share.idle
        if (longestIdle === undefined) break
        this.leave(longestIdle)
        yield longestIdle
      }
    }
  }

  *#makeRoom(newcomer: Holder): Generator<Holder> {
    while (this.taken > this.#max) {
      const leaving = this.#longestIdleOfLargest(newcomer) ?? newcomer
      this.leave(leaving)
      yield leaving
    }
  }

  #longestIdleOfLargest(newcomer: Holder): Holder | undefined {
    let largest = { count: 0, holder: undefined as Holder | undefined }
    for (const { count, idle } of this.#shares.values()) {
      const [holder] = idle
      if (holder !== undefined && holder !== newcomer && count > largest.count) largest = { count, holder }
    }
    return largest.holder
  }

  #noteSize(name: string | undefined, share: Share<Holder>): void {
    if (name === undefined) return
    if (this.#isLarge(share)) this.#large.add(name)
    else this.#large.delete(name)
  }

  #isLarge({ count }: Share<Holder>): boolean {
    return count > this.#max / 4
  }
}
