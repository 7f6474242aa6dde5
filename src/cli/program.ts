import { Command } from '@commander-js/extra-typings'
import { VERSION } from '../lib/version.ts'
import { addAuditCommands } from './commands/audit.ts'
import { addCompanyCommands } from './commands/companies.ts'
import { addDatabaseCommands } from './commands/database.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { addMailCommands } from './commands/emails.ts'
import { addSecretCommands } from './commands/secret.ts'
import { addSeedCommand } from './commands/seed.ts'
import { addUserCommands } from './commands/users.ts'
import { errorJson } from './errors.ts'
import { printable } from './printable.ts'

const HELP = `
Settings come from the environment and from a file .env, as for the service.

Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 not found, 4 the database is unavailable.`

/** All commands, in the order in which the help lists them. `json`: a program reads what they print. */
export function createProgram({ json = false } = {}): Command {
  const program = new Command('tenantry')
    .description('Runs and operates Tenantry.')
    .version(VERSION, '-v, --version', 'print the version')
    .addHelpText('after', HELP)
  addServeCommand(program)
  addDatabaseCommands(program)
  addSeedCommand(program)
  addUserCommands(program)
  addCompanyCommands(program)
  addMailCommands(program)
  addAuditCommands(program)
  addSecretCommands(program)
  addDoctorCommand(program)
  for (const command of commandsIn(program)) toOneLine(command, json)
  return program
}

function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('run the service until a signal stops it; the same as npm start')
    .action(async () => void (await import('../main.ts')))
}

/** A command with all commands below it. */
export const commandsIn = (command: Command): Command[] => [
  command,
  ...(command.commands as unknown as Command[]).flatMap(commandsIn),
]

/** What is wrong with the usage, in one line; and no exit in the middle of a test. */
function toOneLine(command: Command, json: boolean): void {
  command.exitOverride().configureOutput({
    outputError(text, write) {
      const line = printable(text.trim().replaceAll('\n', ' '))
      write(
        json ? `${errorJson({ code: 'usage', message: line.replace(/^error: /, '') })}\n` : `${line} (see --help)\n`,
      )
    },
  })
}
