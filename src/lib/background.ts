import type { Logger } from 'pino'

export interface BackgroundOptions {
  /** Named in the log, such as `audit worker`. */
  name: string
  log: Logger
  /** One round of work. It should end soon after the signal aborts. */
  round(signal: AbortSignal): Promise<unknown>
  /** The pause between two rounds. */
  intervalMs: number
  /** The pause before the first round. */
  delayMs?: number
  /** The pause after a round that failed; it doubles with each further failure, up to `maxMs`. */
  backOff: { firstMs: number; maxMs: number }
  /** How long a stop waits for the running round. */
  stopMs?: number
}

export interface BackgroundLoop {
  /** Starts the next round now, or right after the running one. A pause after a failure is not cut short. */
  nudge(): void
  /** Starts no more rounds, aborts the signal of the running one and waits for it, for a limited time. */
  stop(): Promise<void>
}

const STOP_MS = 5000

/**
 * Does work in rounds, one after the other, until it is stopped. A round that fails ends nothing: the loop tries again.
 * However many rounds of an outage fail, the log has one line for its start and one for its end.
 */
export function startBackgroundLoop(options: BackgroundOptions): BackgroundLoop {
  return new Loop(options)
}

class Loop implements BackgroundLoop {
  readonly #options: BackgroundOptions
  readonly #stopping = new AbortController()
  readonly #done: Promise<void>
  #failures = 0
  #isNudged = false
  #endPause = () => {}

  constructor(options: BackgroundOptions) {
    this.#options = options
    this.#done = this.#run()
  }

  nudge(): void {
    this.#isNudged = true
    if (this.#failures === 0) this.#endPause()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#endPause()
    const { stopMs = STOP_MS, log, name } = this.#options
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<'timeout'>((resolve) => {
      timer = setTimeout(() => resolve('timeout'), stopMs)
    })
    if ((await Promise.race([this.#done, timeout])) === 'timeout') log.warn(`${name} did not stop in time`)
    clearTimeout(timer)
  }

  async #run(): Promise<void> {
    const { intervalMs, delayMs = 0, backOff } = this.#options
    if (delayMs > 0) await this.#pause(delayMs)
    while (!this.#stopping.signal.aborted) {
      await this.#round()
      const { firstMs, maxMs } = backOff
      await this.#pause(this.#failures === 0 ? intervalMs : Math.min(firstMs * 2 ** (this.#failures - 1), maxMs))
    }
  }

  async #round(): Promise<void> {
    const { name, log, round } = this.#options
    const { signal } = this.#stopping
    this.#isNudged = false
    try {
      await round(signal)
      if (this.#failures > 0) log.info(`${name} recovered`)
      this.#failures = 0
    } catch (error) {
      if (signal.aborted) return // What was stopped in the middle is not an outage.
      if (this.#failures === 0) log.error({ err: error }, `${name} failed; trying again`)
      this.#failures++
    }
  }

  async #pause(ms: number): Promise<void> {
    if (this.#stopping.signal.aborted || (this.#isNudged && this.#failures === 0)) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#endPause = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
