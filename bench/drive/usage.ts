import { readdirSync, readFileSync } from 'node:fs'

// CPU time and memory as Linux counts them.

/** Microseconds of CPU that the threads of a process have used. */
export function cpuMicrosOf(pid: number): number {
  const threads = namesIn(`/proc/${pid}/task`)
  return threads.reduce((sum, thread) => sum + runMicros(`/proc/${pid}/task/${thread}/schedstat`), 0)
}

/**
 * Microseconds of CPU of the PostgreSQL processes that work for a database, by process id: its backends, and the processes
 * that all databases share, such as the writer of the log. Autovacuum and the superuser's sessions are left out.
 */
export function postgresMicrosOf(serverPid: number, database: string): Map<number, number> {
  const works = childrenOf(serverPid).filter((pid) => {
    const title = titleOf(pid)
    return title.startsWith(`tenantry ${database} `) || SHARED.test(title)
  })
  return new Map(works.map((pid) => [pid, runMicros(`/proc/${pid}/schedstat`)]))
}

const SHARED = /^(checkpointer|background writer|walwriter|io worker)/

/** What was used between two readings; a process that has started in between counts from its start. */
export const usedBetween = (before: Map<number, number>, after: Map<number, number>): number =>
  [...after].reduce((sum, [pid, micros]) => sum + micros - (before.get(pid) ?? 0), 0)

/** Memory of a process in MiB. */
export function memoryOf(pid: number): number {
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Math.round(Number(kib) / 1024)
}

const runMicros = (file: string) => Number(textOf(file).split(' ', 1)[0]) / 1000

function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return '' // The thread or process has ended.
  }
}

/** As ps shows it, such as `tenantry bench [local] idle`. */
const titleOf = (pid: number) =>
  textOf(`/proc/${pid}/cmdline`)
    .replaceAll('\0', ' ')
    .replace(/^postgres: /, '')

/** The process id of the parent comes after the name in brackets and the state. */
const parentOf = (pid: string) => Number(/\) \S (\d+)/.exec(textOf(`/proc/${pid}/stat`))?.[1])

const childrenOf = (parent: number) =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === parent)
    .map(Number)

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
