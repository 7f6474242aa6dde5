import { setTimeout as pause } from 'node:timers/promises'

const WAIT_MS_MAX = 90_000
const POLL_MS = 20

/** Polls until the condition is true. */
export async function until(condition: () => boolean | Promise<boolean>, waitMsMax = WAIT_MS_MAX): Promise<void> {
  for (const deadline = Date.now() + waitMsMax; !(await condition()); await pause(POLL_MS))
    if (Date.now() > deadline) throw new Error(`The condition was false for ${waitMsMax} ms: ${condition}`)
}
