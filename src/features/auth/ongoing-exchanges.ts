/** One exchange of a token on this node, and what the requests with that token share. */
export interface OngoingExchange<Rotation, Answer> {
  /** The one attempt to exchange the token. */
  rotation: Promise<Rotation>
  /** By `Idempotency-Key`: requests with one key, or all without, get one answer. */
  answers: Map<string | undefined, Promise<Answer>>
}

/**
 * The exchanges of this node that are under way, by token. A request that arrives before the first answer to an exchange
 * has left finds it here, and a later one does not. Holds at most as many as there are requests under way, and those that
 * were answered a moment ago.
 */
export class OngoingExchanges<Rotation, Answer> {
  readonly #byToken = new Map<string, OngoingExchange<Rotation, Answer>>()

  find(token: string): OngoingExchange<Rotation, Answer> | undefined {
    return this.#byToken.get(token)
  }

  begin(token: string, rotation: Promise<Rotation>): OngoingExchange<Rotation, Answer> {
    const ongoing = { rotation, answers: new Map() }
    this.#byToken.set(token, ongoing)
    const forget = () => this.#byToken.delete(token)
    // What has failed is tried again by the next request.
    rotation.then(() => afterNextRead(forget), forget)
    return ongoing
  }
}

/**
 * Calls back when this process has read all that had reached its sockets by now. The answer leaves in this turn of the event
 * loop, and a request may have arrived before it that the process has not read yet. The first callback ends this turn, whose
 * reading has begun already; the second ends the next one.
 */
export function afterNextRead(callback: () => void): void {
  setImmediate(() => setImmediate(callback))
}
