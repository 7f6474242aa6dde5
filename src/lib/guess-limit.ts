const FAILURES_MAX = 30
const FIRST_WAIT_MS = 30_000
const LONGEST_WAIT_MS = 3_600_000
const FORGOTTEN_AFTER_MS = 15 * 60_000
const NAMES_MAX = 10_000

interface Count {
  failures: number
  blockedUntil: number
  endsAt: number
}

/**
 * Bounds guessing: after 30 failures of one name each further one costs a growing wait, 30 seconds at first, an hour at
 * last, during which nothing is tried; 15 quiet minutes after it all is forgotten. It waits for nothing in between, so
 * that many tries at once can't all pass. A success clears nothing, because somebody else of the same name may be guessing.
 * Each process counts for itself.
 */
export class Guesses {
  readonly #counts = new Map<string, Count>()
  readonly #now: () => number

  constructor(now = () => performance.now()) {
    this.#now = now
  }

  /** How many seconds nothing is tried for this name; 0: a try is allowed. */
  secondsLeft(name: string): number {
    const { blockedUntil = 0 } = this.#counts.get(name) ?? {}
    return Math.max(0, Math.ceil((blockedUntil - this.#now()) / 1000))
  }

  countFailure(name: string): void {
    const now = this.#now()
    const known = this.#counts.get(name)
    const failures = known && known.endsAt > now ? known.failures + 1 : 1
    const wait = failures < FAILURES_MAX ? 0 : FIRST_WAIT_MS * 2 ** Math.min(failures - FAILURES_MAX, 20)
    const blockedUntil = now + Math.min(wait, LONGEST_WAIT_MS)
    // Deleted first, so that who failed longest ago stands first.
    this.#counts.delete(name)
    this.#counts.set(name, { failures, blockedUntil, endsAt: blockedUntil + FORGOTTEN_AFTER_MS })
    this.#forget(now)
  }

  #forget(now: number): void {
    for (const [name, { endsAt }] of this.#counts) {
      if (endsAt > now && this.#counts.size <= NAMES_MAX) return
      this.#counts.delete(name)
    }
  }
}
