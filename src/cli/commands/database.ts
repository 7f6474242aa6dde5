import type { Command } from '@commander-js/extra-typings'
import { readSecretSetting } from '../../config/config.ts'
import { inspectDatabase } from '../../database/inspect.ts'
import { migrate } from '../../database/migrate.ts'
import { rolesSql, userAndDatabase } from '../../database/roles.ts'
import { EXIT } from '../exit-codes.ts'
import { JSON_OPTION } from '../options.ts'
import { type Outcome, present } from '../output.ts'
import { withDatabase } from '../with-service.ts'
import { reportOf } from './doctor.ts'

const ROLES_HELP = `
It creates the roles that the service acts as, and lets only the service's own role connect to its database. The
service needs no right over roles then. To be run once, after creating the role and the database of the service:

  npm run -s tenantry -- roles | psql`

export function addDatabaseCommands(program: Command): void {
  program
    .command('migrate')
    .description('bring the database to the schema, roles and rights of this version, as every start does')
    .option('--dry-run', 'only show what would be done')
    .option(...JSON_OPTION)
    .action((options) => present(options, options.dryRun ? preview() : run()))
  program
    .command('roles')
    .description('print SQL for a superuser of the PostgreSQL server')
    .option('--user <name>', 'the role of the service (default: the one in DATABASE_URL, else tenantry)')
    .option('--database <name>', 'the database of the service (default: the one in DATABASE_URL, else tenantry)')
    .option(...JSON_OPTION)
    .addHelpText('after', ROLES_HELP)
    .action((options) => present(options, printRoles(options)))
}

async function run(): Promise<Outcome> {
  return withDatabase(async ({ migrationTarget }, _, log) => {
    const ran = await migrate(migrationTarget, log)
    return {
      text: ran.length > 0 ? ran.map((name) => `ran ${name}`).join('\n') : 'The database is up to date.',
      json: { ran },
    }
  })
}

/** Also what a start corrects besides, because a migration runs beside it. */
async function preview(): Promise<Outcome> {
  return withDatabase(async ({ migrationTarget }) => {
    const findings = await inspectDatabase(migrationTarget)
    const migrations = findings.find(({ check }) => check === 'migrations')
    const exitCode = findings.some(({ status }) => status === 'failed') ? EXIT.failed : EXIT.done
    return { text: reportOf(findings), json: { wouldRun: migrations?.details ?? [], findings }, exitCode }
  })
}

async function printRoles(options: { user?: string | undefined; database?: string | undefined }): Promise<Outcome> {
  const own = userAndDatabase(readSecretSetting(process.env, 'DATABASE_URL'))
  const sql = rolesSql({ user: options.user ?? own.user, database: options.database ?? own.database })
  return { text: sql.trimEnd(), json: { sql } }
}
