import { isRetryable } from './errors.ts'

const TRIES_MAX = 4
/**
 * A statement that fails later is not tried again, because a request is answered within two seconds. The server notices
 * a deadlock after one second; it gives up on a lock later.
 */
const RETRY_WITHIN_MS = 1250

/** Runs again what had no effect and may succeed next time, such as the victim of a deadlock. */
export class Retries {
  /** Since the start. */
  count = 0

  /** `since`: when the request began to wait, which counts against its deadline. */
  async run<Result>(attempt: (since: number) => Promise<Result>): Promise<Result> {
    const since = performance.now()
    for (let tries = 1; ; tries++) {
      try {
        return await attempt(since)
      } catch (error) {
        if (tries === TRIES_MAX || !isRetryable(error) || isTooLate(since)) throw error
        this.count++
      }
    }
  }
}

export const isTooLate = (since: number) => performance.now() - since > RETRY_WITHIN_MS
