const REMEMBERED_MAX = 1000

/** Remembers what was started lately, so that it is not done again too soon. */
export class Cooldowns {
  readonly #until = new Map<string, number>()

  isActive(name: string): boolean {
    return performance.now() < (this.#until.get(name) ?? 0)
  }

  /** When there are too many names, all are forgotten: doing something too soon does no harm. */
  start(name: string, ms: number): void {
    if (this.#until.size >= REMEMBERED_MAX) this.#until.clear()
    this.#until.set(name, performance.now() + ms)
  }
}
