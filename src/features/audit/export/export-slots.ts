import { problem } from '../../../problems.ts'

/** A slow reader keeps some megabytes in memory. */
const SLOTS_MAX = 2
const RETRY_AFTER_SECONDS = 5

/** Limits the exports that an account has running in this process. */
export class ExportSlots {
  readonly #taken = new Map<string, number>()

  /** Returns the function that frees the slot; only its first call does. */
  take(accountId: string): () => void {
    const taken = this.#taken.get(accountId) ?? 0
    if (taken >= SLOTS_MAX) throw problem('too_many_exports', { retryAfterSeconds: RETRY_AFTER_SECONDS })
    this.#taken.set(accountId, taken + 1)
    let isTaken = true
    return () => {
      if (isTaken) this.#free(accountId)
      isTaken = false
    }
  }

  #free(accountId: string): void {
    const left = (this.#taken.get(accountId) ?? 1) - 1
    if (left > 0) this.#taken.set(accountId, left)
    else this.#taken.delete(accountId)
  }
}
