import { setTimeout as pause } from 'node:timers/promises'

/** The time in which a service that stops goes on serving everything, so that load balancers can notice. */
export class Drain {
  readonly #ms: number
  readonly #skipped = new AbortController()
  #state: 'ahead' | 'running' | 'over' = 'ahead'

  constructor(ms: number) {
    this.#ms = ms
  }

  get hasBegun(): boolean {
    return this.#state !== 'ahead'
  }

  /** Resolves when the time is over or is skipped. */
  async run(): Promise<void> {
    this.#state = 'running'
    if (this.#ms > 0) await pause(this.#ms, undefined, { signal: this.#skipped.signal }).catch(() => {})
    this.#state = 'over'
  }

  /** False: there is no time left to skip. */
  skip(): boolean {
    this.#skipped.abort()
    return this.#state === 'running'
  }
}
