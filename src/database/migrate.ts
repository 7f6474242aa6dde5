import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { migrationSession, type Target } from './session.ts'

/** The database can't be used as it is; `message` says in one sentence what to do. */
export class MigrationError extends Error {}

const FOLDER = path.join(import.meta.dirname, '..', '..', 'migrations')
const OLDEST_MAJOR = 15
// Any number of our own: two services that start together migrate one after the other.
const ADVISORY_LOCK = 7_236_490_211

interface Migration {
  name: string
  sql: string
  checksum: string
}

/** Brings the database to this version's schema, and tells which migrations it ran. */
export async function migrate(target: Target): Promise<string[]> {
  const client = new pg.Client(migrationSession(target))
  // Without a listener a connection that breaks ends the process; the statement under way tells of it, too.
  client.on('error', () => {})
  await client.connect()
  try {
    await refuseUnsuitable(client)
    await client.query('select pg_advisory_lock($1)', [ADVISORY_LOCK])
    await refuseWithoutRoles(client)
    return await runMissing(client, readMigrations())
  } catch (error) {
    throw explained(error)
  } finally {
    await client.end()
  }
}

async function runMissing(client: pg.Client, migrations: Migration[]): Promise<string[]> {
  await client.query(`create table if not exists schema_migrations (
    name text primary key, checksum text not null, applied_at timestamptz not null default now())`)
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from schema_migrations',
  )
  const applied = new Map(rows.map((row) => [row.name, row.checksum]))
  refuseForeign(applied, migrations)

  const missing = migrations.filter(({ name }) => !applied.has(name))
  for (const migration of missing) await run(client, migration)
  return missing.map(({ name }) => name)
}

async function run(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  await client.query('begin')
  try {
    await client.query(sql)
    await client.query('insert into schema_migrations (name, checksum) values ($1, $2)', [name, checksum])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw new Error(`Migration ${name}: ${(error as Error).message}`, { cause: error })
  }
}

function readMigrations(): Migration[] {
  const names = fs.readdirSync(FOLDER).filter((name) => name.endsWith('.sql'))
  return names.sort().map((name) => {
    const sql = fs.readFileSync(path.join(FOLDER, name), 'utf8')
    return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
  })
}

async function refuseUnsuitable(client: pg.Client): Promise<void> {
  const { rows } = await client.query(`
    select current_setting('server_version_num')::int / 10000 as major, current_setting('server_encoding') as encoding,
      quote_ident(current_database()) as database, quote_ident(session_user) as user, pg_is_in_recovery() as replica,
      has_database_privilege(current_database(), 'create') as may_create,
      has_schema_privilege('public', 'create') as may_create_tables`)
  const { major, encoding, database, user, replica, may_create, may_create_tables } = rows[0]
  if (major < OLDEST_MAJOR)
    throw new MigrationError(`PostgreSQL ${major} is too old: version ${OLDEST_MAJOR} or later is needed.`)
  if (encoding !== 'UTF8')
    throw new MigrationError(`Database ${database} is in ${encoding}: create it with ENCODING 'UTF8'.`)
  if (replica) throw new MigrationError('This server is a read-only replica: DATABASE_URL must name the primary.')
  if (!may_create) {
    throw new MigrationError(
      `Role ${user} does not own database ${database}. As a superuser: ALTER DATABASE ${database} OWNER TO ${user};`,
    )
  }
  if (!may_create_tables) {
    throw new MigrationError(
      `Role ${user} may not create tables. As a superuser, in ${database}: GRANT ALL ON SCHEMA public TO ${user};`,
    )
  }
}

/** The first migration makes these roles. */
const ROLES = ['tenantry_none', 'tenantry_account', 'tenantry_tenant', 'tenantry_worker']

/** They belong to the whole server: where another database made them first, its owner may not share them. */
async function refuseWithoutRoles(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `select quote_ident(me.rolname) as user, me.rolsuper or me.rolcreaterole as may_create,
       array(select name from unnest($1::text[]) name where name not in (select rolname from pg_roles)) as missing,
       array(select rolname::text from pg_roles where rolname = any ($1) and not case
         when me.rolsuper then true
         when current_setting('server_version_num')::int < 160000 then me.rolcreaterole or pg_has_role(oid, 'member')
         else pg_has_role(oid, 'set') or pg_has_role(oid, 'member with admin option') end) as foreign
     from pg_roles me where me.rolname = session_user`,
    [ROLES],
  )
  const { user, may_create, missing, foreign } = rows[0]
  if (missing.length > 0 && !may_create)
    throw new MigrationError(`Role ${user} may not create roles. As a superuser: ALTER ROLE ${user} CREATEROLE;`)
  if (foreign.length > 0) {
    throw new MigrationError(
      `The roles ${foreign.join(', ')} were made for another database of this server. As a superuser: ` +
        `GRANT ${foreign.join(', ')} TO ${user};`,
    )
  }
}

/** A database that another version has changed is not ours to guess about. */
function refuseForeign(applied: Map<string, string>, migrations: Migration[]): void {
  const ours = new Map(migrations.map(({ name, checksum }) => [name, checksum]))
  for (const [name, checksum] of applied) {
    if (!ours.has(name))
      throw new MigrationError(
        `The database has migration ${name}, which this version does not know: start the newer version.`,
      )
    if (ours.get(name) !== checksum)
      throw new MigrationError(`Migration ${name} was applied with another text: restore the file as it was released.`)
  }
}

const INSUFFICIENT_PRIVILEGE = '42501'

function explained(error: unknown): Error {
  const { code, message } = ((error as Error).cause ?? error) as Error & { code?: string }
  if (code !== INSUFFICIENT_PRIVILEGE) return error as Error
  return new MigrationError(
    `The role of DATABASE_URL lacks a right (${message}): it must own the database and everything in its schema public.`,
  )
}
