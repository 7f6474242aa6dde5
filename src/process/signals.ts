import type { Logger } from 'pino'
import { exitWith } from './exit.ts'
import type { RunningService } from './start.ts'

/** After the drain, a stop that takes longer ends the process: 6 s for connections, 6 s for workers, 3 s for the database. */
export const STOP_MS_MAX = 15_000
/** A terminal sends a signal to npm and to this process, and npm forwards it: within this time it counts once. */
const SAME_SIGNAL_MS = 1000

type Stoppable = Pick<RunningService, 'config' | 'stop' | 'skipDrain'>

type SignalListener = (signal: string) => void

/**
 * Until the service has started, SIGTERM, SIGINT and SIGHUP end the process with exit code 0; the next start does again
 * what this one has not finished. Without a listener, Linux would not deliver them to the first process of a container.
 */
export function endStartOnSignals(log: Logger): void {
  listenToSignals((signal) => {
    log.info({ signal }, 'ending before the start was complete')
    process.exit(0)
  })
}

/**
 * Stops the service on SIGTERM, SIGINT and SIGHUP, and exits with code 0. A second signal skips the rest of the drain;
 * after that another SIGINT, which a person sends, ends the process at once.
 */
export function stopOnSignals(running: Stoppable, log: Logger): void {
  let lastMs = -Infinity
  let isStopping = false
  const onSignal: SignalListener = (signal) => {
    if (performance.now() - lastMs < SAME_SIGNAL_MS) return
    lastMs = performance.now()
    if (!isStopping) void stop(running, signal, log)
    else if (!running.skipDrain() && signal === 'SIGINT') process.exit(1)
    isStopping = true
  }
  listenToSignals(onSignal)
}

let current: SignalListener | undefined

/**
 * In place of the listener before. Node keeps the one that it has: a signal that has arrived and waits for its turn is lost
 * when the listener of that moment is removed.
 */
function listenToSignals(listener: SignalListener): void {
  if (!current) for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, (signal) => current?.(signal))
  current = listener
}

async function stop({ stop, config }: Stoppable, signal: string, log: Logger): Promise<void> {
  const startedAt = performance.now()
  log.info({ signal, drainSeconds: config.shutdownDrainMs / 1000 }, 'stopping')
  setTimeout(() => {
    log.error('the stop takes too long: ending')
    process.exit(1)
  }, config.shutdownDrainMs + STOP_MS_MAX).unref()
  try {
    await stop()
    log.info({ ms: Math.round(performance.now() - startedAt) }, 'stopped')
    process.exit(0)
  } catch (error) {
    log.error({ err: error }, 'the stop failed')
    exitWith(error)
  }
}
