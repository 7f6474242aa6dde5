import { readFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'

const WATCH_SECONDS = 3
const IDLE_SHARE_MIN = 0.93
/** For each core, over the last minute. */
const LOAD_MAX = 0.5
/** After the load PostgreSQL and the disk are busy for a while. */
const CALM_SECONDS_MAX = 120

/** A busy machine would measure what else runs on it. */
export class BusyError extends Error {
  constructor(reason: string) {
    super(`The machine is busy: ${reason}. Nothing was written: stop what else runs, or wait a minute.`)
  }
}

/** Throws when other programs use the processors now, or did in the last minute. */
export async function assertQuiet(): Promise<void> {
  const load = (loadavg()[0] ?? 0) / availableParallelism()
  if (load > LOAD_MAX)
    throw new BusyError(`in the last minute ${load.toFixed(2)} programs ran on each core (at most ${LOAD_MAX} may)`)
  await assertIdle()
}

/** Throws when other programs use the processors while this one waits. */
export async function assertIdle(): Promise<void> {
  const idle = await idleShare()
  if (idle < IDLE_SHARE_MIN)
    throw new BusyError(`its processors are idle for ${percent(idle)} (at least ${percent(IDLE_SHARE_MIN)} are needed)`)
}

/** Waits until the processors are idle after work of this script. */
export async function waitUntilIdle(): Promise<void> {
  for (let watched = 0; (await idleShare()) < IDLE_SHARE_MIN; watched += WATCH_SECONDS)
    if (watched > CALM_SECONDS_MAX) return assertIdle()
}

const percent = (share: number) => `${Math.round(share * 100)} %`

async function idleShare(): Promise<number> {
  const before = readTimes()
  await pause(WATCH_SECONDS * 1000)
  const after = readTimes()
  return (after.idle - before.idle) / (after.total - before.total)
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
