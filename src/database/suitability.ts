import type pg from 'pg'
import type { Logger } from 'pino'
import { secondsAhead, warningAboutClock } from '../lib/clock.ts'
import { MigrationError } from './migration-error.ts'
import { assertTriggersFire } from './triggers.ts'

/** The log of a start: what it has repaired, and what the operator should change. */
export type BootLog = Pick<Logger, 'info' | 'warn'>

const MAJOR_MIN = 15

/**
 * The oldest minor version of each major one that is safe. Older ones may use a plan of one role for another role
 * (CVE-2024-10976), and connections of this service change roles with every statement. The release that first fixed it,
 * one lower than here, ignores the role in the options of a connection.
 */
const MINOR_MIN = new Map([
  [15, 10],
  [16, 6],
  [17, 2],
])

/** Throws a MigrationError when this database can't be used, and logs a warning for what works but is not safe. */
export async function assertSuitable(client: pg.Client, log: BootLog): Promise<void> {
  const askedAt = Date.now()
  const { rows } = await client.query(`
    select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding,
      quote_ident(current_database()) as database, quote_ident(session_user) as user, pg_is_in_recovery() as replica,
      pg_has_role(session_user, datdba, 'usage') as owns, has_schema_privilege('public', 'create') as may_create_tables,
      rolsuper as is_superuser, rolcreaterole as makes_roles,
      (extract(epoch from clock_timestamp()) * 1000)::float8 as clock
    from pg_database, pg_roles where datname = current_database() and rolname = session_user`)
  const { version, encoding, database, user, replica, owns, may_create_tables, is_superuser, makes_roles, clock } =
    rows[0]
  const secondsOff = secondsAhead(clock, askedAt, Date.now())
  const major = majorOf(version)
  if (major < MAJOR_MIN)
    throw new MigrationError(`PostgreSQL ${major} is too old: version ${MAJOR_MIN} or later is needed.`)
  if (encoding !== 'UTF8')
    throw new MigrationError(`Database ${database} is in ${encoding}: create it with ENCODING 'UTF8'.`)
  if (replica) throw new MigrationError('This server is a read-only replica: DATABASE_URL must name the primary.')
  if (!owns) {
    throw new MigrationError(
      `Role ${user} does not own database ${database}. As a superuser: ALTER DATABASE ${database} OWNER TO ${user};`,
    )
  }
  if (!may_create_tables) {
    throw new MigrationError(
      `Role ${user} may not create tables. As a superuser, in ${database}: GRANT ALL ON SCHEMA public TO ${user};`,
    )
  }
  await assertTriggersFire(client)
  for (const warning of warningsAbout({ version, user, is_superuser, makes_roles, secondsOff })) log.warn(warning)
}

interface Session {
  version: number
  user: string
  is_superuser: boolean
  makes_roles: boolean
  /** By how much this machine's clock is ahead. */
  secondsOff: number
}

/** One sentence for each property that works but is not safe. */
export function warningsAbout({ version, user, is_superuser, makes_roles, secondsOff }: Session): string[] {
  const [major, minor] = [majorOf(version), version % 10_000]
  const minorMin = MINOR_MIN.get(major) ?? 0
  const warnings = [warningAboutClock(secondsOff)].filter((warning) => warning !== undefined)
  if (minor < minorMin) {
    warnings.push(
      `PostgreSQL ${major}.${minor} confuses roles (CVE-2024-10976, or the regression of its fix), and roles keep ` +
        `companies apart: update it to ${major}.${minorMin} or later`,
    )
  }
  if (is_superuser)
    warnings.push(
      `role ${user} of DATABASE_URL is a superuser: give the service a plain role (npm run -s tenantry -- roles --help)`,
    )
  else if (makes_roles && major === 15) {
    warnings.push(
      `role ${user} has CREATEROLE, which on PostgreSQL 15 is a right over every role of the server: let a superuser create the ` +
        `roles of the service once (npm run -s tenantry -- roles), then: ALTER ROLE ${user} NOCREATEROLE;`,
    )
  }
  return warnings
}

const majorOf = (version: number) => Math.floor(version / 10_000)
