import { setTimeout as pause } from 'node:timers/promises'

const WAIT_MAX_MS = 60_000
const POLL_MS = 10

/** Polls until the condition is true, for effects that no promise announces. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + WAIT_MAX_MS
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`The condition was false for ${WAIT_MAX_MS} ms: ${condition}`)
    await pause(POLL_MS)
  }
}
