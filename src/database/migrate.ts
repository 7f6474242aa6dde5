import pg from 'pg'
import { MigrationError } from './migration-error.ts'
import { isFunction, type Migration, readMigrations } from './migration-files.ts'
import { assertOwned, mendRights } from './rights.ts'
import { closeToOthers, ensureRoles } from './roles.ts'
import { migrationSession, type Target } from './session.ts'
import { assertSuitable, type BootLog } from './suitability.ts'

export { MigrationError }

// Any number of our own: two services that start together migrate one after the other.
const ADVISORY_LOCK = 7_236_490_211

/** The files of migrations/ that a database has had. */
export const LEDGER = `create table if not exists schema_migrations (
  name text primary key, checksum text not null, applied_at timestamptz not null default now())`

const silent: BootLog = { info() {}, warn() {} }

/**
 * Brings the database to this version's schema with the roles and rights that belong to it, and tells which migrations it
 * ran. Every start does this, because dumps, templates and other people's hands leave rights as they should not be.
 */
export async function migrate(target: Target, log: BootLog = silent): Promise<string[]> {
  const client = new pg.Client(migrationSession(target))
  // Without a listener a connection that breaks ends the process; the statement under way tells of it, too.
  client.on('error', () => {})
  await client.connect()
  try {
    await assertSuitable(client, log)
    await client.query('select pg_advisory_lock($1)', [ADVISORY_LOCK])
    await closeToOthers(client, log)
    await assertOwned(client)
    await ensureRoles(client)
    const ran = await runMissing(client, readMigrations())
    await mendRights(client, log)
    return ran
  } catch (error) {
    throw explained(error)
  } finally {
    await client.end()
  }
}

/**
 * Runs the missing migrations and, after them, the functions that changed, all in one transaction. A function changes only
 * together with a new migration: so a service of an older version, which does not know that migration, never puts its own
 * functions back.
 */
async function runMissing(client: pg.Client, files: Migration[]): Promise<string[]> {
  await client.query(LEDGER)
  const { rows } = await client.query<Applied>('select name, checksum from schema_migrations')
  const applied = new Map(rows.map(({ name, checksum }) => [name, checksum]))
  const missing = files.filter((file) => !isFunction(file) && !applied.has(file.name))
  if (missing.length === 0) {
    assertSame(rows, files)
    return []
  }
  assertSame(
    rows.filter((row) => !isFunction(row)),
    files,
  )
  const changed = files.filter((file) => isFunction(file) && applied.get(file.name) !== file.checksum)
  const upgrade = [...missing, ...changed]
  await runTogether(client, upgrade, files)
  return upgrade.map(({ name }) => name)
}

type Applied = Pick<Migration, 'name' | 'checksum'>

async function runTogether(client: pg.Client, upgrade: Migration[], files: Migration[]): Promise<void> {
  await client.query('begin')
  try {
    for (const { name, sql, checksum } of upgrade) {
      await client.query(sql).catch((error: Error) => {
        throw new Error(`Migration ${name}: ${error.message}`, { cause: error })
      })
      await client.query(
        `insert into schema_migrations (name, checksum) values ($1, $2)
         on conflict (name) do update set checksum = excluded.checksum, applied_at = now()`,
        [name, checksum],
      )
    }
    // A migration may have dropped a function, whose file is gone.
    await client.query('delete from schema_migrations where name <> all ($1)', [files.map(({ name }) => name)])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

/** A database that another version has changed is refused: this version can't know what that one did. */
function assertSame(applied: Applied[], files: Migration[]): void {
  const known = new Map(files.map(({ name, checksum }) => [name, checksum]))
  for (const { name, checksum } of applied) {
    if (!known.has(name))
      throw new MigrationError(
        `The database has migration ${name}, which this version does not know: start the newer version.`,
      )
    if (known.get(name) !== checksum)
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
