import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import { announce } from '../announce.ts'
import { Drain } from '../drain.ts'
import { startNodeMetrics } from '../metrics.ts'
import { prepareDatabase } from '../prepare-database.ts'
import { stopOnSignals } from '../signals.ts'
import { Supervisor, WorkerStartError } from './supervisor.ts'

/** Prepares the database, then starts the worker processes and keeps them running until it is stopped. */
export async function runPrimary(config: Config, log: Logger): Promise<void> {
  const database = await prepareDatabase(config, log)
  const supervisor = new Supervisor({ processes: config.workers, database, log })
  try {
    announce(await supervisor.start(), config)
  } catch (error) {
    await supervisor.stop('SIGTERM')
    await database.stop()
    if (!(error instanceof WorkerStartError)) throw error
    log.error({ reason: error.message }, 'a worker process did not start')
    process.exit(1)
  }
  const metrics = await startNodeMetrics(config, log, () => supervisor.started)
  const drain = new Drain(config.shutdownDrainMs)
  stopOnSignals({ config, stop, skipDrain }, log)

  async function stop(): Promise<void> {
    void drain.run()
    const isOrderly = await supervisor.stop('SIGTERM')
    await metrics?.stop()
    await database.stop()
    if (!isOrderly) throw new Error('A worker process ended with an error')
  }

  /** The workers have drains of their own, which a second signal ends. */
  function skipDrain(): boolean {
    const isSkipped = drain.skip()
    if (isSkipped) supervisor.signal('SIGTERM')
    return isSkipped
  }
}
