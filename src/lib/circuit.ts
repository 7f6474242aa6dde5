export interface CircuitOptions {
  /** An answer that takes longer counts as none. */
  timeoutMs: number
  /** How long nothing is asked after a failure, and between two probes. */
  pauseMs: number
  /** Asks whether the other side answers again. */
  probe(): Promise<unknown>
  /** Called once when the circuit opens, with the reason. */
  onOpened(reason: unknown): void
  /** Called once when the circuit is closed again. */
  onClosed(): void
}

/**
 * Spares callers the wait for something that does not answer. The first failure opens the circuit; while it is open nothing
 * is asked of the other side but a probe every few seconds, and the first one that is answered closes it.
 */
export class Circuit {
  readonly #options: CircuitOptions
  #timer: NodeJS.Timeout | undefined
  #isOpen = false
  #hasEnded = false

  constructor(options: CircuitOptions) {
    this.#options = options
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** The result of `work`. Rejects when it fails or takes too long, and opens the circuit. Not for an open circuit. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await inTime(work(), this.#options.timeoutMs)
    } catch (error) {
      this.#open(error)
      throw error
    }
  }

  /** Probes no more. */
  end(): void {
    this.#hasEnded = true
    clearTimeout(this.#timer)
  }

  #open(reason: unknown): void {
    if (this.#isOpen || this.#hasEnded) return
    this.#isOpen = true
    this.#options.onOpened(reason)
    this.#probeLater()
  }

  #probeLater(): void {
    if (!this.#hasEnded) this.#timer = setTimeout(() => this.#probe(), this.#options.pauseMs).unref()
  }

  async #probe(): Promise<void> {
    try {
      await inTime(this.#options.probe(), this.#options.timeoutMs)
    } catch {
      this.#probeLater()
      return
    }
    if (this.#hasEnded) return
    this.#isOpen = false
    this.#options.onClosed()
  }
}

async function inTime<Result>(work: Promise<Result>, timeoutMs: number): Promise<Result> {
  const timeout = Promise.withResolvers<never>()
  const expire = () => timeout.reject(new Error(`No answer within ${timeoutMs} ms`))
  // An answer may have arrived while this process was busy: it is read before the time is declared over.
  const timer = setTimeout(() => setImmediate(expire), timeoutMs)
  try {
    return await Promise.race([work, timeout.promise])
  } finally {
    clearTimeout(timer)
  }
}
