import { LOCK_WAIT_MS } from './connection-settings.ts'
import { hasTimedOut, OutdatedReadError } from './errors.ts'
import { statement, type Tx } from './queries.ts'

const setLockTimeout = statement<object, [ms: string]>(`select set_config('lock_timeout', $1, true)`)

/**
 * How long the transaction waits for each further lock, in milliseconds; afterwards it ends with a problem 503. Less than usual where
 * it holds what others wait for.
 */
export async function limitLockWait(tx: Tx, ms: number): Promise<void> {
  await setLockTimeout(tx, String(ms))
}

export async function restoreLockWait(tx: Tx): Promise<void> {
  await limitLockWait(tx, LOCK_WAIT_MS)
}

/** For a transaction that waits less than usual: it runs again, after what it held was free for those that wait for it. */
export function retryWhenLocked(error: unknown): never {
  throw hasTimedOut(error) ? new OutdatedReadError({ cause: error }) : error
}
