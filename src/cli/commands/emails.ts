import { type Command, Option } from '@commander-js/extra-typings'
import { emailStatuses, listEmails, retryEmails } from '../../features/mail/outbox/operate-outbox.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import { Uuid } from '../../lib/uuids.ts'
import { EXIT } from '../exit-codes.ts'
import { email, JSON_OPTION, parsedBy, wholeNumber } from '../options.ts'
import { type Outcome, present, table } from '../output.ts'
import { withService } from '../with-service.ts'

const LIMIT_MAX = 1000
const uuid = parsedBy(Uuid)

export function addMailCommands(program: Command): void {
  const mail = program.command('mail').description('the outbox of emails: list it, and send failed emails again')
  mail
    .command('list')
    .description('list emails of the last 30 days, the newest first')
    .addOption(new Option('--status <status>', 'only these').choices(emailStatuses))
    .option('--to <address>', 'only those to this address', email)
    .option('--limit <number>', `how many, at most ${LIMIT_MAX}`, wholeNumber(1, LIMIT_MAX), 50)
    .option(...JSON_OPTION)
    .action((options) => present(options, list(options)))
  mail
    .command('retry')
    .description('send failed emails again, and waiting ones now; the service has to run')
    .argument('[ids...]', 'which emails', (text, ids: string[] = []) => [...ids, uuid(text)])
    .option('--failed', 'all that have failed')
    .option(...JSON_OPTION)
    .action((ids, options) => present(options, retry(ids ?? [], options.failed === true)))
}

interface Listing {
  status?: (typeof emailStatuses)[number] | undefined
  to?: string | undefined
  limit: number
}

async function list({ status, to, limit }: Listing): Promise<Outcome> {
  return withService(async ({ database }) => {
    const emails = await listEmails(database, { status, recipient: to }, limit)
    const rows = emails.map((each) => [each.id, each.kind, each.recipient, each.status, each.attempts, each.lastError])
    const titles = ['email', 'kind', 'to', 'status', 'attempts', 'last error']
    return { text: table(titles, rows, 'There are no such emails.'), json: { emails } }
  })
}

async function retry(ids: string[], allFailed: boolean): Promise<Outcome> {
  if (ids.length > 0 === allFailed)
    throw new OperatorError('usage', 'Name the emails, or all that have failed with --failed.')
  return withService(async ({ database }) => {
    const emails = await retryEmails(database, allFailed ? undefined : ids)
    const left = emails.filter(({ isRetried }) => !isRetried)
    const lines = left.map(({ id, reason }) => `${id} is left as it is: ${reason}`)
    const text = [`${emails.length - left.length} emails will be sent again.`, ...lines].join('\n')
    return { text, json: { emails }, exitCode: left.length > 0 && !allFailed ? EXIT.failed : EXIT.done }
  })
}
