/** The connections of one network, or of all proxies together. */
interface Share<Connection> {
  /** Connections without a request under way, the longest idle one first. */
  idle: Set<Connection>
  /** Connections with a request under way, the longest busy one first. */
  busy: Set<Connection>
}

/** A busy connection is closed only when its share has more than this many times the connections of the other share. */
const FAR_MORE = 4

/**
 * Decides which connections to close when a server has its maximum. Once half of the slots are taken a share keeps a
 * quarter of all slots at most, and loses its longest idle connections. When no slot is free, the largest share that has
 * idle connections loses its longest idle one. A busy connection is closed only in a share that is far larger than the
 * one that would lose a connection otherwise. See docs/decisions/0018-fair-shares.md.
 */
export class ConnectionSlots<Connection> {
  readonly #max: number
  /** The share of each connection; undefined: it belongs to no share that bounds it. */
  readonly #shareNames = new Map<Connection, string | undefined>()
  readonly #shares = new Map<string | undefined, Share<Connection>>()
  /** The names of shares that have more than a quarter of the slots: three at most. */
  readonly #large = new Set<string>()

  /** `max`: how many connections may be open. */
  constructor(max: number) {
    this.#max = max
  }

  get taken(): number {
    return this.#shareNames.size
  }

  /**
   * Adds a connection, idle at first. Returns the connections to close, which may include the new one; their slots are
   * free already. `share` names a share; undefined: no share bounds the connection.
   */
  take(connection: Connection, share: string | undefined): Connection[] {
    this.#shareNames.set(connection, share)
    const own = this.#shares.get(share) ?? { idle: new Set<Connection>(), busy: new Set<Connection>() }
    this.#shares.set(share, own)
    own.idle.add(connection)
    this.#updateLarge(share, own)
    return [...this.#shrinkLargeShares(), ...this.#makeRoom(connection)]
  }

  /** A request of the connection is under way. */
  setBusy(connection: Connection): void {
    const share = this.#shareOf(connection)
    if (share?.idle.delete(connection)) share.busy.add(connection)
  }

  /** The connection has no request under way. */
  setIdle(connection: Connection): void {
    const share = this.#shareOf(connection)
    if (share?.busy.delete(connection)) share.idle.add(connection)
  }

  /** The connection is closed. Does nothing for a connection without a slot. */
  release(connection: Connection): void {
    const name = this.#shareNames.get(connection)
    const share = this.#shareOf(connection)
    if (!share) return
    this.#shareNames.delete(connection)
    share.idle.delete(connection)
    share.busy.delete(connection)
    this.#updateLarge(name, share)
    if (sizeOf(share) === 0) this.#shares.delete(name)
  }

  #shareOf(connection: Connection): Share<Connection> | undefined {
    return this.#shareNames.has(connection) ? this.#shares.get(this.#shareNames.get(connection)) : undefined
  }

  *#shrinkLargeShares(): Generator<Connection> {
    for (const name of this.#large) {
      const share = this.#shares.get(name)
      while (share && this.taken > this.#max / 2 && this.#isLarge(share)) {
        const [longestIdle] = share.idle
        if (longestIdle === undefined) break
        this.release(longestIdle)
        yield longestIdle
      }
    }
  }

  *#makeRoom(newcomer: Connection): Generator<Connection> {
    while (this.taken > this.#max) {
      const closing = this.#connectionToCloseFor(newcomer)
      this.release(closing)
      yield closing
    }
  }

  #connectionToCloseFor(newcomer: Connection): Connection {
    const own = this.#shareOf(newcomer) as Share<Connection>
    const idle = this.#largest(({ idle }) => idle.size > (idle.has(newcomer) ? 1 : 0)) ?? own
    // Proxies and loopback have many clients behind them: their busy connections are never too many.
    const busy = this.#largest((share) => share.busy.size > 0 && share !== this.#shares.get(undefined))
    const [longestBusy] = busy?.busy ?? []
    const isFarMore = busy && sizeOf(busy) > FAR_MORE * sizeOf(idle)
    // The new connection of the same share is closed instead of a busy one, because it has no answer to lose.
    if (isFarMore && longestBusy !== undefined) return busy === own ? newcomer : longestBusy
    const [longestIdle] = idle.idle
    return longestIdle ?? newcomer
  }

  #largest(isCandidate: (share: Share<Connection>) => boolean): Share<Connection> | undefined {
    let largest: Share<Connection> | undefined
    for (const share of this.#shares.values()) {
      if (isCandidate(share) && (!largest || sizeOf(share) > sizeOf(largest))) largest = share
    }
    return largest
  }

  #updateLarge(name: string | undefined, share: Share<Connection>): void {
    if (name === undefined) return
    if (this.#isLarge(share)) this.#large.add(name)
    else this.#large.delete(name)
  }

  #isLarge(share: Share<Connection>): boolean {
    return sizeOf(share) > this.#max / 4
  }
}

const sizeOf = ({ idle, busy }: Share<unknown>) => idle.size + busy.size
