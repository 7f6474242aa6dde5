import type pg from 'pg'
import type { Logger } from 'pino'
import { MigrationError } from './migration-error.ts'

/** Where the boot says what it mended, and what should be mended. */
export type BootLog = Pick<Logger, 'info' | 'warn'>

const OLDEST_MAJOR = 15

/**
 * Before these a plan made for one role could be used for another one (CVE-2024-10976): connections here change roles with
 * every statement. The release that mends it, one number lower, ignores the role that a connection is opened with.
 */
const LEAST_MINORS = new Map([
  [15, 10],
  [16, 6],
  [17, 2],
])

export async function assertSuitable(client: pg.Client, log: BootLog): Promise<void> {
  const { rows } = await client.query(`
    select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding,
      quote_ident(current_database()) as database, quote_ident(session_user) as user, pg_is_in_recovery() as replica,
      pg_has_role(session_user, datdba, 'usage') as owns, has_schema_privilege('public', 'create') as may_create_tables,
      rolsuper as is_superuser, rolcreaterole as makes_roles
    from pg_database, pg_roles where datname = current_database() and rolname = session_user`)
  const { version, encoding, database, user, replica, owns, may_create_tables, is_superuser, makes_roles } = rows[0]
  const major = majorOf(version)
  if (major < OLDEST_MAJOR)
    throw new MigrationError(`PostgreSQL ${major} is too old: version ${OLDEST_MAJOR} or later is needed.`)
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
  for (const warning of warningsAbout({ version, user, is_superuser, makes_roles })) log.warn(warning)
}

interface Session {
  version: number
  user: string
  is_superuser: boolean
  makes_roles: boolean
}

/** What works and is not safe. */
export function warningsAbout({ version, user, is_superuser, makes_roles }: Session): string[] {
  const [major, minor] = [majorOf(version), version % 10_000]
  const least = LEAST_MINORS.get(major) ?? 0
  const warnings: string[] = []
  if (minor < least) {
    warnings.push(
      `PostgreSQL ${major}.${minor} mixes up roles (CVE-2024-10976, or the regression of its mend), which is what keeps ` +
        `companies apart: update it to ${major}.${least} or later`,
    )
  }
  if (is_superuser)
    warnings.push(
      `role ${user} of DATABASE_URL is a superuser: give the service a plain role (npm run roles -- --help)`,
    )
  else if (makes_roles && major === 15) {
    warnings.push(
      `role ${user} has CREATEROLE, which on PostgreSQL 15 is a right over every role of the server; its roles are made ` +
        `once by a superuser (npm run roles -- --sql), then: ALTER ROLE ${user} NOCREATEROLE;`,
    )
  }
  return warnings
}

const majorOf = (version: number) => Math.floor(version / 10_000)
