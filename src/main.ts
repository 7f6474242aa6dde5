import type { Logger } from 'pino'
import { readConfig } from './config/config.ts'
import { endOnFaults, exitWith } from './process/exit.ts'
import { createLog } from './process/log.ts'
import { type RunningService, startService } from './process/start.ts'

const STOP_MS_MAX = 15_000
/** A terminal sends its signal to npm and to npm's child, and npm hands it on: within this time it counts once. */
const SAME_SIGNAL_MS = 1000

const config = orExit(() => readConfig(process.env))
const log = createLog(config.logLevel)
endOnFaults(log)
const running = await startService(config, log).catch((error: unknown) => exitWith(error))
announce(running)
stopOnSignals(running, log)

function orExit<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    return exitWith(error)
  }
}

function announce(running: RunningService): void {
  const { address, config, documentation, embeddedVersion, mailbox } = running
  if (config.production) return
  const lines = [
    `Tenantry answers at ${address}/api`,
    documentation &&
      `  documentation  ${address}/api/docs  user ${documentation.user}  password ${documentation.password}`,
    mailbox ? `  letters        ${address}/dev/mail  (files in ${mailbox})` : '  letters        are sent by SMTP',
    mailbox && `                 ${mailboxReaders(running)}`,
    embeddedVersion
      ? `  database       PostgreSQL ${embeddedVersion} of its own, in ${config.dataDir}`
      : '  database       the one of DATABASE_URL',
  ]
  console.log(lines.filter(Boolean).join('\n'))
}

/** Letters open accounts: who starts the service learns who can read them. */
function mailboxReaders({ mailboxIsOpen, documentation }: RunningService): string {
  if (mailboxIsOpen) return 'open to all that runs on this machine, a proxy that adds no header included'
  return documentation ? "for the documentation's user and password" : 'shut: HOST is no loopback address'
}

function stopOnSignals({ stop }: RunningService, log: Logger): void {
  let since = 0
  const onSignal = (signal: string) => {
    if (since > 0) {
      if (performance.now() - since > SAME_SIGNAL_MS) process.exit(1)
      return
    }
    since = performance.now()
    log.info({ signal }, 'stopping')
    setTimeout(() => process.exit(1), STOP_MS_MAX).unref()
    stop().then(
      () => process.exit(0),
      (error) => exitWith(error),
    )
  }
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal)
}
