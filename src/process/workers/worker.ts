import { once } from 'node:events'
import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import { stopOnSignals } from '../signals.ts'
import { startService } from '../start.ts'
import { type FromPrimary, sendTo } from './messages.ts'
import { openNodeCounters } from './node-counters.ts'

/** One of several processes of this node: the whole service, on the database that the primary process has prepared. */
export async function runWorker(config: Config, log: Logger): Promise<void> {
  const { target, embeddedVersion } = await askForWork()
  const database = { target, embeddedVersion, stop: async () => {} }
  const running = await startService(config, log, { database, nodeCounters: openNodeCounters() })
  stopOnSignals(running, log)
  const { address, console, documentation, mailbox, mailboxIsOpen } = running
  sendTo(process, {
    kind: 'started',
    announcement: { address, console, documentation, mailbox, mailboxIsOpen, embeddedVersion },
  })
}

async function askForWork(): Promise<Extract<FromPrimary, { kind: 'work' }>> {
  const answered = once(process, 'message')
  sendTo(process, { kind: 'loaded' })
  const [message] = await answered
  return message
}
