import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'

const SECONDS = 5
const IDLE_SHARE_MIN = 0.95
const LOAD_MAX = 0.5

/** A busy machine would measure what else runs on it. */
export class BusyError extends Error {}

/** Watches the processors for some seconds and throws when other programs use them. */
export async function assertQuiet(): Promise<void> {
  const before = readTimes()
  await pause(SECONDS * 1000)
  const after = readTimes()
  const idle = (after.idle - before.idle) / (after.total - before.total)
  const [load = 0] = loadavg()
  if (idle < IDLE_SHARE_MIN || load > LOAD_MAX)
    throw new BusyError(
      `The machine is busy: its processors were idle for ${Math.round(idle * 100)} % of ${SECONDS} seconds ` +
        `(at least ${IDLE_SHARE_MIN * 100} % are needed), and the load is ${load.toFixed(1)} (at most ${LOAD_MAX}). ` +
        'Nothing was measured: stop what else runs, or wait.',
    )
}

/** Time that a hypervisor took away counts as busy. */
function readTimes(): { idle: number; total: number } {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1)
  const [user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, softIrq = 0, steal = 0] = line
    .split(/\s+/)
    .slice(1)
    .map(Number)
  return { idle: idle + wait, total: user + nice + system + idle + wait + irq + softIrq + steal }
}
