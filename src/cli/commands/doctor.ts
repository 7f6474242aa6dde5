import type { Command } from '@commander-js/extra-typings'
import type { Finding } from '../../database/inspect.ts'
import { diagnose } from '../doctor.ts'
import { EXIT } from '../exit-codes.ts'
import { JSON_OPTION } from '../options.ts'
import { present } from '../output.ts'

const HELP = `
It looks at what a start compares and corrects, and changes nothing. Each line begins with one of these:

  ok       as it should be
  warning  works, and is not safe or not what you may expect
  fix      the next start corrects it
  FAILED   the next start stops, or the service would not work; then the exit code is 1`

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('check settings, versions, the database and its rights, Redis and the mail server')
    .option(...JSON_OPTION)
    .addHelpText('after', HELP)
    .action((options) => present(options, examine()))
}

async function examine() {
  const findings = await diagnose(process.env)
  const failed = findings.filter(({ status }) => status === 'failed').length
  const exitCode = failed > 0 ? EXIT.failed : EXIT.done
  return { text: reportOf(findings), json: { healthy: failed === 0, findings }, exitCode }
}

const MARKS = { ok: 'ok     ', warning: 'warning', fix: 'fix    ', failed: 'FAILED ' }

export function reportOf(findings: Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length))
  return findings
    .flatMap(({ check, status, message, details }) => [
      `${MARKS[status]}  ${check.padEnd(width)}  ${message.replaceAll('\n', '; ')}`,
      ...details.map((detail) => `${' '.repeat(width + 11)}  ${detail}`),
    ])
    .join('\n')
}
