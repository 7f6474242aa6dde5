/**
 * For costly work that tells how things are: of one name only one runs at a time, and whoever asks meanwhile shares the
 * one run that begins after it, so that each is told of everything before the asking.
 */
export class SingleFlight<Result> {
  readonly #running = new Map<string, Promise<Result>>()
  readonly #next = new Map<string, Promise<Result>>()

  take(name: string, work: () => Promise<Result>): Promise<Result> {
    const running = this.#running.get(name)
    if (!running) return this.#start(name, work)
    const known = this.#next.get(name)
    if (known) return known
    const begin = () => {
      this.#next.delete(name)
      return this.#start(name, work)
    }
    const next = running.then(begin, begin)
    this.#next.set(name, next)
    return next
  }

  #start(name: string, work: () => Promise<Result>): Promise<Result> {
    const run = work().finally(() => this.#running.delete(name))
    this.#running.set(name, run)
    return run
  }
}

/** At most so many pieces of work at once, the others one after the other as they came. */
export function createSemaphore(count: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = []
  let free = count
  return async (work) => {
    if (free > 0) free--
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      // The lane passes on without becoming free in between.
      if (next) next()
      else free++
    }
  }
}
