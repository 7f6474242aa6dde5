import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { announce } from './announce.ts'
import { stopOnSignals } from './signals.ts'
import { startService } from './start.ts'

/** The only process of its node. */
export async function runAlone(config: Config, log: Logger): Promise<void> {
  const running = await startService(config, log)
  announce(running, config)
  stopOnSignals(running, log)
}
