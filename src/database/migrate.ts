import type pg from 'pg'
import { runBackfills } from './backfills.ts'
import type { Target } from './connection-settings.ts'
import { openMigrationClient } from './migration-client.ts'
import { MigrationError } from './migration-error.ts'
import { isFunction, type Migration, readMigrations } from './migration-files.ts'
import { assertOwned, repairRights } from './rights.ts'
import { ensureRoleDefaults } from './role-defaults.ts'
import { ensureRoles, revokePublicConnect } from './roles.ts'
import { assertSuitable, type BootLog } from './suitability.ts'

export { MigrationError }

/** An arbitrary number that no other program uses. Services that start at the same time migrate one after the other. */
export const ADVISORY_LOCK = 7_236_490_211

/** The table of the files of migrations/ that were run on a database. */
export const LEDGER = `create table if not exists schema_migrations (
  name text primary key, checksum text not null, kind text not null default 'contract',
  applied_at timestamptz not null default now())`

const SILENT_LOG: BootLog = { info() {}, warn() {} }

/**
 * Brings the database to the schema, roles and rights of this version. Returns the names of the migrations that it ran.
 * Every start calls it, because restored dumps, templates and manual changes can leave wrong rights. Throws a
 * MigrationError when the operator has to change something.
 */
export async function migrate(target: Target, log: BootLog = SILENT_LOG): Promise<string[]> {
  const client = await openMigrationClient(target)
  try {
    await assertSuitable(client, log)
    await client.query('select pg_advisory_lock($1)', [ADVISORY_LOCK])
    await revokePublicConnect(client, log)
    await assertOwned(client)
    await ensureRoles(client)
    await ensureRoleDefaults(client)
    const files = readMigrations()
    await client.query(LEDGER)
    const applied = await findApplied(client)
    if (runsBesideNewer(applied, files, log)) return []
    const ran = await runMissing(client, applied, files)
    await repairRights(client, log)
    await runBackfills(client, log)
    return ran
  } catch (error) {
    throw asOperatorError(error)
  } finally {
    await client.end()
  }
}

export interface SchemaState {
  /** What a start would run. */
  upgrade: Migration[]
  /** A newer version has migrated the database, and this one runs beside it. */
  isNewer: boolean
}

/** Changes nothing. Throws a MigrationError when a start would be refused. */
export async function findSchemaState(client: pg.Client): Promise<SchemaState> {
  const files = readMigrations()
  const applied = await findApplied(client)
  const isNewer = runsBesideNewer(applied, files, SILENT_LOG)
  return { upgrade: isNewer ? [] : upgradeOf(applied, files), isNewer }
}

/**
 * Runs missing migrations and then changed functions, in one transaction. A function changes only together with a new
 * migration, so that a service of an older version, which does not know that migration, never restores its own
 * functions.
 */
async function runMissing(client: pg.Client, applied: Applied[], files: Migration[]): Promise<string[]> {
  const upgrade = upgradeOf(applied, files)
  return upgrade.length > 0 ? runTogether(client, upgrade, files) : []
}

/** What a start would run. Throws a MigrationError when another version has changed the database. */
function upgradeOf(rows: Applied[], files: Migration[]): Migration[] {
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
  return [...missing, ...changed]
}

type Applied = Pick<Migration, 'name' | 'checksum' | 'kind'>

/** None where no version has run a migration. */
async function findApplied(client: pg.Client): Promise<Applied[]> {
  const { rows: ledger } = await client.query(`select to_regclass('public.schema_migrations') is not null as is_there`)
  if (!ledger[0].is_there) return []
  const { rows } = await client.query<Applied>('select name, checksum, kind from schema_migrations order by name')
  return rows
}

/**
 * Whether a newer version has changed the database by migrations that leave this version working. Functions and rights are
 * that version's affair then: this one neither compares nor repairs them.
 */
function runsBesideNewer(applied: Applied[], files: Migration[], log: BootLog): boolean {
  const known = new Set(files.map(({ name }) => name))
  const migrations = applied.filter((row) => !isFunction(row))
  const newer = migrations.filter(({ name }) => !known.has(name))
  const names = new Set(migrations.map(({ name }) => name))
  const isComplete = files.every((file) => isFunction(file) || names.has(file.name))
  if (newer.length === 0 || !isComplete || newer.some(({ kind }) => kind !== 'expand')) return false
  assertSame(
    migrations.filter(({ name }) => known.has(name)),
    files,
  )
  log.info(
    { migrations: newer.map(({ name }) => name) },
    'a newer version has migrated the database: running beside it',
  )
  return true
}

async function runTogether(client: pg.Client, upgrade: Migration[], files: Migration[]): Promise<string[]> {
  await client.query('begin')
  try {
    const dropped = new Set(await dropRowFunctions(client, files))
    const toRun = files.filter((file) => upgrade.includes(file) || dropped.has(file.name))
    for (const { name, sql, checksum, kind } of toRun) {
      await client.query(sql).catch((error: Error) => {
        throw new Error(`Migration ${name}: ${error.message}`, { cause: error })
      })
      await client.query(
        `insert into schema_migrations (name, checksum, kind) values ($1, $2, $3)
         on conflict (name) do update set checksum = excluded.checksum, applied_at = now()`,
        [name, checksum, kind],
      )
    }
    // A migration may have dropped a function, whose file is gone.
    await client.query('delete from schema_migrations where name <> all ($1)', [files.map(({ name }) => name)])
    await client.query('commit')
    return toRun.map(({ name }) => name)
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

/**
 * PostgreSQL refuses a new column with a default while a function takes a row of the table. So an upgrade first drops these
 * functions, and those whose bodies call them. Returns their files, to be run again.
 */
async function dropRowFunctions(client: pg.Client, files: Migration[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string; signature: string }>(
    `with recursive dropped (oid) as (
       select pg_proc.oid from pg_proc
       where pronamespace = 'public'::regnamespace and exists (
         select from unnest(proargtypes) as type join pg_class on reltype = type and relkind in ('r', 'p'))
       union
       select objid from dropped join pg_depend on refclassid = 'pg_proc'::regclass and refobjid = dropped.oid
       where classid = 'pg_proc'::regclass)
     select 'functions/' || proname || '.sql' as name, oid::regprocedure::text as signature
     from dropped join pg_proc using (oid)
     where 'functions/' || proname || '.sql' = any ($1)`,
    [files.map(({ name }) => name)],
  )
  if (rows.length > 0) await client.query(`drop function ${rows.map(({ signature }) => signature).join(', ')}`)
  return rows.map(({ name }) => name)
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
      throw new MigrationError(
        `The text of migration ${name} has changed since it was applied: restore the file as it was released.`,
      )
  }
}

const INSUFFICIENT_PRIVILEGE = '42501'

/** A missing right is for the operator to grant; any other error is a bug and stays as it is. */
function asOperatorError(error: unknown): Error {
  const { code, message } = ((error as Error).cause ?? error) as Error & { code?: string }
  if (code !== INSUFFICIENT_PRIVILEGE) return error as Error
  return new MigrationError(
    `The role of DATABASE_URL lacks a right (${message}): it must own the database and everything in its schema public.`,
  )
}
