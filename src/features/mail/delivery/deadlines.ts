/** Gives each piece of work a deadline; work that ignores the signal is abandoned. */
export class Deadlines {
  readonly #running = new Set<AbortController>()

  async within(ms: number, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const deadline = new AbortController()
    const { signal } = deadline
    const timer = setTimeout(() => deadline.abort(new Error(`Not done within ${ms / 1000} seconds`)), ms)
    this.#running.add(deadline)
    try {
      await Promise.race([work(signal), rejection(signal)])
    } catch (error) {
      // The reason says more than the work, which only knows that it was stopped.
      signal.throwIfAborted()
      throw error
    } finally {
      clearTimeout(timer)
      this.#running.delete(deadline)
    }
  }

  /** Aborts everything that is still running. */
  end(reason: Error): void {
    for (const deadline of this.#running) deadline.abort(reason)
  }
}

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
}
