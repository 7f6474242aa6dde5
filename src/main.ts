import type { Logger } from 'pino'
import { readConfig } from './config/config.ts'
import { exitOnUncaughtErrors, exitWith } from './process/exit.ts'
import { createLog } from './process/log.ts'
import { boundGarbage } from './process/memory.ts'
import { type RunningService, startService } from './process/start.ts'

/** A stop that takes longer ends the process. */
const STOP_MS_MAX = 15_000
/** A terminal sends a signal to npm and to this process, and npm forwards it: within this time it counts once. */
const SAME_SIGNAL_MS = 1000

boundGarbage()
const config = orExit(() => readConfig(process.env))
const log = createLog(config.logLevel)
exitOnUncaughtErrors(log)
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
    `Tenantry listens at ${address}/api`,
    documentation &&
      `  documentation  ${address}/api/docs  user ${documentation.user}  password ${documentation.password}`,
    mailbox ? `  emails         ${address}/dev/mail  (files in ${mailbox})` : '  emails         sent by SMTP',
    mailbox && `                 ${mailboxReaders(running)}`,
    embeddedVersion
      ? `  database       embedded PostgreSQL ${embeddedVersion}, in ${config.dataDir}`
      : '  database       DATABASE_URL',
  ]
  console.log(lines.filter(Boolean).join('\n'))
}

/** Emails contain links that open accounts, so the operator is told who can read them. */
function mailboxReaders({ mailboxIsOpen, documentation }: RunningService): string {
  if (mailboxIsOpen) return 'readable by all programs on this machine, and by clients of a proxy that adds no header'
  return documentation
    ? 'readable with the user and password of the documentation'
    : 'not readable: HOST is no loopback address'
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
