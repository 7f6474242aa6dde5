import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { MigrationError } from './migration-error.ts'
import { assertOwned, mendRights } from './rights.ts'
import { closeToOthers, ensureRoles } from './roles.ts'
import { migrationSession, type Target } from './session.ts'
import { assertSuitable, type BootLog } from './suitability.ts'

export { MigrationError }

const FOLDER = path.join(import.meta.dirname, '..', '..', 'migrations')
// Any number of our own: two services that start together migrate one after the other.
const ADVISORY_LOCK = 7_236_490_211

/** Which migrations a database has had. */
export const LEDGER = `create table if not exists schema_migrations (
  name text primary key, checksum text not null, applied_at timestamptz not null default now())`

interface Migration {
  name: string
  sql: string
  checksum: string
}

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

async function runMissing(client: pg.Client, migrations: Migration[]): Promise<string[]> {
  await client.query(LEDGER)
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from schema_migrations',
  )
  const applied = new Map(rows.map((row) => [row.name, row.checksum]))
  assertNoForeignMembers(applied, migrations)

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

export function readMigrations(): Migration[] {
  const names = fs.readdirSync(FOLDER).filter((name) => name.endsWith('.sql'))
  return names.sort().map((name) => {
    const sql = fs.readFileSync(path.join(FOLDER, name), 'utf8')
    return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
  })
}

/** A database that another version has changed is not ours to guess about. */
function assertNoForeignMembers(applied: Map<string, string>, migrations: Migration[]): void {
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
