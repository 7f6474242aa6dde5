/** As many failures pass without a wait. */
const FREE_FAILURES_MAX = 30
const FIRST_WAIT_MS = 30_000
const WAIT_MS_MAX = 3_600_000
const FORGOTTEN_AFTER_MS = 15 * 60_000
/** Bounds the memory; the name whose last failure is the oldest is forgotten first. */
const NAMES_MAX = 10_000

interface Count {
  failures: number
  blockedUntilMs: number
  forgottenAtMs: number
}

/**
 * Limits how often a secret can be guessed. From the 30th failure of a name each one blocks the name: for 30 seconds at
 * first, twice as long each time, up to an hour. 15 minutes after the last block the count starts anew. The check and the
 * count are synchronous, so that parallel attempts can't all pass. A success does not reset the count, because a guesser
 * may use the same name. Each process counts for itself.
 */
export class GuessLimit {
  readonly #counts = new Map<string, Count>()
  readonly #nowMs: () => number

  constructor(nowMs = () => performance.now()) {
    this.#nowMs = nowMs
  }

  /** How many more seconds this name is blocked; 0: an attempt is allowed. */
  secondsLeft(name: string): number {
    const { blockedUntilMs = 0 } = this.#counts.get(name) ?? {}
    return Math.max(0, Math.ceil((blockedUntilMs - this.#nowMs()) / 1000))
  }

  countFailure(name: string): void {
    const nowMs = this.#nowMs()
    const known = this.#counts.get(name)
    const failures = known && known.forgottenAtMs > nowMs ? known.failures + 1 : 1
    const excess = failures - FREE_FAILURES_MAX
    const waitMs = excess < 0 ? 0 : FIRST_WAIT_MS * 2 ** Math.min(excess, 20)
    const blockedUntilMs = nowMs + Math.min(waitMs, WAIT_MS_MAX)
    // Deleted first, so that the map stays in the order of the last failures.
    this.#counts.delete(name)
    this.#counts.set(name, { failures, blockedUntilMs, forgottenAtMs: blockedUntilMs + FORGOTTEN_AFTER_MS })
    this.#forget(nowMs)
  }

  #forget(nowMs: number): void {
    for (const [name, { forgottenAtMs }] of this.#counts) {
      if (forgottenAtMs > nowMs && this.#counts.size <= NAMES_MAX) return
      this.#counts.delete(name)
    }
  }
}
