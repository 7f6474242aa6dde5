import { problem } from '../../../problems.ts'

/** A slow reader keeps some megabytes waiting. */
const EXPORTS_MAX = 2
const RETRY_AFTER_SECONDS = 5

/** How many exports an account has running on this node. */
const running = new Map<string, number>()

/** What it gives back frees the place again, however often it is called. */
export function takePlace(accountId: string): () => void {
  const taken = running.get(accountId) ?? 0
  if (taken >= EXPORTS_MAX) throw problem('too_many_exports', { retryAfterSeconds: RETRY_AFTER_SECONDS })
  running.set(accountId, taken + 1)
  let isTaken = true
  return () => {
    if (isTaken) free(accountId)
    isTaken = false
  }
}

function free(accountId: string): void {
  const left = (running.get(accountId) ?? 1) - 1
  if (left > 0) running.set(accountId, left)
  else running.delete(accountId)
}
