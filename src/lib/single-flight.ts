/**
 * Shares costly work that reports a state: for each key one run is in progress at a time, and all calls that come
 * meanwhile share the one run that starts after it. A call never gets the result of a run that started before it, so it
 * sees every change that was made before the call.
 */
export class SingleFlight<Result> {
  readonly #running = new Map<string, Promise<Result>>()
  readonly #next = new Map<string, Promise<Result>>()

  run(key: string, work: () => Promise<Result>): Promise<Result> {
    const running = this.#running.get(key)
    if (!running) return this.#start(key, work)
    const known = this.#next.get(key)
    if (known) return known
    const begin = () => {
      this.#next.delete(key)
      return this.#start(key, work)
    }
    const next = running.then(begin, begin)
    this.#next.set(key, next)
    return next
  }

  #start(key: string, work: () => Promise<Result>): Promise<Result> {
    const run = work().finally(() => this.#running.delete(key))
    this.#running.set(key, run)
    return run
  }
}
