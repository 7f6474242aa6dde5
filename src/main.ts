import { readConfig } from './config/config.ts'
import { exitOnUncaughtErrors, exitWith } from './process/exit.ts'
import { createLog } from './process/log.ts'
import { boundGarbage } from './process/memory.ts'
import { stopOnSignals } from './process/signals.ts'
import { type RunningService, startService } from './process/start.ts'

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
