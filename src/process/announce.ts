import type { Config } from '../config/config.ts'
import type { RunningService } from './start.ts'

/** What a person who starts the service wants to know. */
export type Announcement = Pick<
  RunningService,
  'address' | 'console' | 'documentation' | 'embeddedVersion' | 'mailbox' | 'mailboxIsOpen'
>

/** Prints where the service listens and who can read what, outside of production. */
export function announce(running: Announcement, config: Config): void {
  const { address, documentation, embeddedVersion, mailbox } = running
  if (config.production) return
  const lines = [
    `Tenantry listens at ${address}/api`,
    running.console && `  console        ${running.console}`,
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
function mailboxReaders({ mailboxIsOpen, documentation }: Announcement): string {
  if (mailboxIsOpen) return 'readable by all programs on this machine, and by clients of a proxy that adds no header'
  return documentation
    ? 'readable with the user and password of the documentation'
    : 'not readable: HOST is no loopback address'
}
