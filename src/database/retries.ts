import { isRetryable } from './errors.ts'

const TRIES_MAX = 4

/** Runs again what had no effect and may succeed next time, such as the victim of a deadlock. */
export class Retries {
  /** Since the start. */
  count = 0

  async run<Result>(attempt: () => Promise<Result>): Promise<Result> {
    for (let tries = 1; ; tries++) {
      try {
        return await attempt()
      } catch (error) {
        if (tries === TRIES_MAX || !isRetryable(error)) throw error
        this.count++
      }
    }
  }
}
