import { type Counted, WindowCounter } from '../../lib/window-counter.ts'

/** So many requests in a window of time. Its name is public: it stands in the headers of every response. */
export interface Limit {
  name: string
  requests: number
  perSeconds: number
}

/** What one request counts for: a limit, and the network or account that it is counted by. */
export interface Count {
  limit: Limit
  name: string
  /** A limit of the route, which protects secrets from guessing. */
  isOfRoute?: boolean
  /** Once a limit before this one is exceeded, the count is read and stays as it is. */
  unlessExceeded?: boolean
}

/** Where requests are counted: in this process, at once, or where several processes count together. */
export interface Counters {
  /** All counts of one request, in their order. */
  count(counts: Count[]): Counted[] | Promise<Counted[]>
}

/** What a probe counts: the answer to a question that needs no right to write says nothing about counting. */
export const PROBE: Count = { limit: { name: 'probe', requests: 1, perSeconds: 1 }, name: '0.0.0.0/32' }

/** Counters of another process or machine, which may not answer. */
export interface SharedCounters {
  /** For the log. */
  name: string
  count(counts: Count[]): Promise<Counted[]>
  /** Rejects or does not resolve while nothing can be counted there. */
  probe(): Promise<unknown>
  /** Why nothing could be counted, if something else says it better than the error itself. */
  lastError?(): Error | undefined
  close(): void
}

/** Counts in this process alone. */
export class OwnCounters implements Counters {
  readonly #counters = new Map<string, WindowCounter>()

  count(counts: Count[]): Counted[] {
    let isExceeded = false
    return counts.map(({ limit, name, unlessExceeded = false }) => {
      const counter = this.#counterOf(limit)
      const counted = isExceeded && unlessExceeded ? counter.read(name) : counter.count(name)
      isExceeded ||= counted.count > limit.requests
      return counted
    })
  }

  #counterOf({ name, perSeconds }: Limit): WindowCounter {
    const known = this.#counters.get(name)
    if (known) return known
    const counter = new WindowCounter(perSeconds * 1000)
    this.#counters.set(name, counter)
    return counter
  }
}
