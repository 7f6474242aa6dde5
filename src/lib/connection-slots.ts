interface Share<Holder> {
  /** Those that are not being served, the longest idle first. */
  idle: Set<Holder>
  /** Those that are being served, the longest served first. */
  served: Set<Holder>
}

/** A share gives up a seat that is being served only to one that holds less than this part of what it holds itself. */
const FAR_MORE = 4

/**
 * Decides which connections stay when there is room for so many only. Above half of the room one share holds a quarter at
 * most, idle seats going first; when there is no room left the largest share with idle seats gives up the longest idle one.
 * Only a share that holds far more than the one that would have to give way loses a seat that is being served.
 * See docs/decisions/0018-fair-shares.md.
 */
export class Seats<Holder> {
  readonly #max: number
  /** The share of each holder; undefined: no share bounds it. */
  readonly #seats = new Map<Holder, string | undefined>()
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
    this.#seats.set(holder, share)
    const own = this.#shares.get(share) ?? { idle: new Set<Holder>(), served: new Set<Holder>() }
    this.#shares.set(share, own)
    own.idle.add(holder)
    this.#noteSize(share, own)
    return [...this.#shrinkLargeShares(), ...this.#makeRoom(holder)]
  }

  work(holder: Holder): void {
    const share = this.#shareOf(holder)
    if (share?.idle.delete(holder)) share.served.add(holder)
  }

  rest(holder: Holder): void {
    const share = this.#shareOf(holder)
    if (share?.served.delete(holder)) share.idle.add(holder)
  }

  leave(holder: Holder): void {
    const name = this.#seats.get(holder)
    const share = this.#shareOf(holder)
    if (!share) return
    this.#seats.delete(holder)
    share.idle.delete(holder)
    share.served.delete(holder)
    this.#noteSize(name, share)
    if (sizeOf(share) === 0) this.#shares.delete(name)
  }

  #shareOf(holder: Holder): Share<Holder> | undefined {
    return this.#seats.has(holder) ? this.#shares.get(this.#seats.get(holder)) : undefined
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
      const leaving = this.#leavingFor(newcomer)
      this.leave(leaving)
      yield leaving
    }
  }

  #leavingFor(newcomer: Holder): Holder {
    const own = this.#shareOf(newcomer) as Share<Holder>
    const idle = this.#largest(({ idle }) => idle.size > (idle.has(newcomer) ? 1 : 0)) ?? own
    // Proxies and loopback stand for many, so that what is served there is never too much.
    const served = this.#largest((share) => share.served.size > 0 && share !== this.#shares.get(undefined))
    const [longestServed] = served?.served ?? []
    const isFarMore = served && sizeOf(served) > FAR_MORE * sizeOf(idle)
    // A newcomer of the same share gives way itself: it has no answer to lose.
    if (isFarMore && longestServed !== undefined) return served === own ? newcomer : longestServed
    const [longestIdle] = idle.idle
    return longestIdle ?? newcomer
  }

  #largest(isCandidate: (share: Share<Holder>) => boolean): Share<Holder> | undefined {
    let largest: Share<Holder> | undefined
    for (const share of this.#shares.values()) {
      if (isCandidate(share) && (!largest || sizeOf(share) > sizeOf(largest))) largest = share
    }
    return largest
  }

  #noteSize(name: string | undefined, share: Share<Holder>): void {
    if (name === undefined) return
    if (this.#isLarge(share)) this.#large.add(name)
    else this.#large.delete(name)
  }

  #isLarge(share: Share<Holder>): boolean {
    return sizeOf(share) > this.#max / 4
  }
}

const sizeOf = ({ idle, served }: Share<unknown>) => idle.size + served.size
