import { afterNextRead } from './ongoing-exchanges.ts'

/** Each for ten minutes at most is of use, so an old one makes room. */
const REMEMBERED_MAX = 10_000

/**
 * Exchanges of this process whose outcome the database did not tell: the connection broke, and the token may be spent or
 * not. No client got a pair for them.
 */
export class UnansweredExchanges {
  /** The id that the new refresh token would have, by the id of the spent one. */
  readonly #newIdOf = new Map<string, string>()

  add(spentId: string, newId: string): void {
    const [oldest] = this.#newIdOf.keys()
    if (oldest !== undefined && this.#newIdOf.size >= REMEMBERED_MAX) this.#newIdOf.delete(oldest)
    this.#newIdOf.set(spentId, newId)
  }

  find(spentId: string): string | undefined {
    return this.#newIdOf.get(spentId)
  }

  /** The pair is given now: requests that arrived before its answer has left still get it, as for every exchange. */
  forget(spentId: string): void {
    afterNextRead(() => this.#newIdOf.delete(spentId))
  }
}
