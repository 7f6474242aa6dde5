import cluster from 'node:cluster'
import type { Logger } from 'pino'
import { type Config, readConfig } from './config/config.ts'
import { exitOnUncaughtErrors, exitWith } from './process/exit.ts'
import { createLog, createWorkerLog } from './process/log.ts'
import { boundMemory } from './process/memory.ts'
import { endStartOnSignals } from './process/signals.ts'

const config = orExit(() => readConfig(process.env))
const log = cluster.worker ? createWorkerLog(config.logLevel, cluster.worker.id) : createLog(config.logLevel)
exitOnUncaughtErrors(log)
endStartOnSignals(log)
const run = await loadRun(config)
boundMemory()
await run(config, log).catch((error: unknown) => exitWith(error))

/** Loads only what this process needs: the primary process of several serves no requests itself. */
async function loadRun({ workers }: Config): Promise<(config: Config, log: Logger) => Promise<void>> {
  if (cluster.isWorker) return (await import('./process/workers/worker.ts')).runWorker
  if (workers > 1) return (await import('./process/workers/primary.ts')).runPrimary
  return (await import('./process/alone.ts')).runAlone
}

function orExit<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    return exitWith(error)
  }
}
