import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, it } from 'node:test'
import pg from 'pg'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { until } from '../../test/support/until.ts'
import type { Target } from './connection-settings.ts'
import { ADVISORY_LOCK, LEDGER, MigrationError, migrate } from './migrate.ts'
import { readMigrations } from './migration-files.ts'
import { RIGHTS_FILE, rightsOf } from './rights.ts'
import { warningsAbout } from './suitability.ts'

const names = readMigrations().map(({ name }) => name)

/** That take a row of a table, or call such a function: every upgrade runs them. */
const ROW_FUNCTIONS = [
  'accepts_password',
  'asks_second_factor',
  'closed_by',
  'companies_with_permission',
  'find_member_companies',
  'password_reset_authority',
  'policy_findings',
  'session_closed_by',
].map((name) => `functions/${name}.sql`)

let db: TestDatabase
beforeEach(async () => {
  db = await createTestDatabase({ empty: true })
})
afterEach(() => db.drop())

const UNUSUAL_SETTINGS = [
  `statement_timeout = '300ms'`,
  `search_path = elsewhere`,
  `client_encoding = LATIN1`,
  `quote_all_identifiers = on`,
  `standard_conforming_strings = off`,
  `row_security = off`,
  `default_transaction_isolation = serializable`,
  `timezone = 'Asia/Kolkata'`,
  `datestyle = 'SQL, DMY'`,
  `intervalstyle = iso_8601`,
]

const applied = async () =>
  (
    await db.query<{ name: string }>(
      `select name from schema_migrations order by name like 'functions/%', name collate "C"`,
    )
  ).map(({ name }) => name)

/** Asserts a refusal by one sentence that matches. */
const assertRefused = (target: Target, sentence: RegExp) =>
  assert.rejects(migrate(target), (error) => {
    assert.ok(error instanceof MigrationError, String(error))
    assert.match(error.message, sentence)
    assert.doesNotMatch(error.message, /\n/)
    return true
  })

describe('migrating', () => {
  it('runs every migration once and in order', async () => {
    assert.deepEqual(await migrate(db.target), names)
    assert.deepEqual(await applied(), names)
    assert.deepEqual(await migrate(db.target), [])
  })

  it('runs every migration once when many services start at the same time', async () => {
    const ran = await Promise.all(Array.from({ length: 5 }, () => migrate(db.target)))
    assert.deepEqual(
      ran.filter((list) => list.length > 0),
      [names],
    )
    assert.deepEqual(await applied(), names)
  })

  it('rolls back an upgrade that fails, and runs all of it after the cause is removed', async () => {
    await db.query(`create table audit_records (); alter table audit_records owner to tenantry`)
    await assert.rejects(migrate(db.target), /Migration 0008_audit\.sql: relation "audit_records" already exists/)
    assert.deepEqual(await applied(), [])
    await db.query('drop table audit_records')
    assert.deepEqual(await migrate(db.target), names)
  })

  it('replaces functions that changed together with a new migration, and forgets those whose file was deleted', async () => {
    await migrate(db.target)
    const missing = '0010_idempotency.sql'
    await db.query(`drop table idempotent_requests; delete from schema_migrations where name = '${missing}'`)
    await db.query(`
      create or replace function company_restore_period() returns interval language sql return interval '1 day';
      update schema_migrations set checksum = '' where name = 'functions/company_restore_period.sql';
      insert into schema_migrations (name, checksum) values ('functions/former.sql', '')`)
    const ran = await migrate(db.target)
    assert.deepEqual(
      ran.filter((name) => !ROW_FUNCTIONS.includes(name)),
      [missing, 'functions/company_restore_period.sql'],
    )
    assert.deepEqual(await applied(), names)
    const [row] = await db.query<{ days: number }>('select extract(day from company_restore_period())::int as days')
    assert.equal(row?.days, 30)
  })

  it('gives columns with a default to tables of which functions take a row', async () => {
    await migrate(db.target)
    await db.query(`
      alter table sessions drop column second_factor_ids, add column second_factor_id uuid;
      create or replace function closed_by(session sessions) returns text
        language sql begin atomic select accepts_password(null, session)::text; end;
      delete from schema_migrations where name = '0024_proved_factors.sql'`)
    assert.deepEqual(await migrate(db.target), ['0024_proved_factors.sql', ...ROW_FUNCTIONS])
    const definitions = await db.query(`select oid::regprocedure::text as is from pg_proc where proname = 'closed_by'`)
    assert.deepEqual(definitions, [{ is: 'closed_by(companies,sessions,boolean,text[],inet)' }])
    assert.deepEqual(await migrate(db.target), [])
  })

  it('does not depend on limits and settings of the role or the database', async () => {
    const name = (db.target as { database: string }).database
    for (const setting of UNUSUAL_SETTINGS) await db.query(`alter database ${name} set ${setting}`)
    await db.query('select pg_advisory_lock($1)', [ADVISORY_LOCK])
    const migrated = migrate(db.target)
    const waits = `select from pg_stat_activity
      where wait_event = 'advisory' and datname = $1 and clock_timestamp() - query_start > interval '300 ms'`
    await Promise.race([migrated, until(async () => (await db.query(waits, [name])).length > 0)])
    await db.query('select pg_advisory_unlock($1)', [ADVISORY_LOCK])
    assert.deepEqual(await migrated, names)
    const said: unknown[] = []
    const log = { info: (...parts: unknown[]) => said.push(parts), warn: (...parts: unknown[]) => said.push(parts) }
    assert.deepEqual([await migrate(db.target, log), said], [[], []])
    const [row] = await db.query(`select count(*)::int as count from pg_tables where schemaname = 'public'`)
    assert.ok(row?.count > 5)
  })
})

describe('beside a newer version', () => {
  const laterMigration = (kind: string) =>
    db.query(`insert into schema_migrations (name, checksum, kind) values ('9999_later.sql', '', '${kind}')`)

  it('a start changes nothing when all that it does not know only expands the schema', async () => {
    await migrate(db.target)
    await laterMigration('expand')
    await db.query(`
      create table later (); grant select on later, schema_migrations to tenantry_tenant;
      update schema_migrations set checksum = 'x' where name = 'functions/find_members.sql';
      insert into schema_migrations (name, checksum) values ('functions/later.sql', '')`)
    const said: unknown[][] = []
    const log = { info: (...parts: unknown[]) => said.push(parts), warn: (...parts: unknown[]) => said.push(parts) }
    const before = await db.query('select * from schema_migrations order by name')
    assert.deepEqual(await migrate(db.target, log), [])
    assert.deepEqual(await db.query('select * from schema_migrations order by name'), before)
    assert.deepEqual(said, [
      [{ migrations: ['9999_later.sql'] }, 'a newer version has migrated the database: running beside it'],
    ])
    const [right] = await db.query(
      `select has_table_privilege('tenantry_tenant', 'schema_migrations', 'select') as kept`,
    )
    assert.equal(right?.kept, true)
  })

  it('a start is refused once a migration takes away what this version needs', async () => {
    await migrate(db.target)
    await laterMigration('contract')
    await assertRefused(db.target, /has migration 9999_later\.sql.*start the newer version/)
  })

  it('a start still refuses its own migrations with another text', async () => {
    await migrate(db.target)
    await laterMigration('expand')
    await db.query(`update schema_migrations set checksum = 'x' where name = '0002_companies.sql'`)
    await assertRefused(db.target, /0002_companies\.sql has changed since it was applied/)
  })
})

describe('a database is refused', () => {
  it('that a newer version has migrated', async () => {
    await migrate(db.target)
    await db.query(`insert into schema_migrations (name, checksum) values ('9999_later.sql', '')`)
    await assertRefused(db.target, /has migration 9999_later\.sql.*start the newer version/)
  })

  it('that a newer version has migrated so that this one can keep working, when this one has migrations to run', async () => {
    await migrate(db.target)
    await db.query(`insert into schema_migrations (name, checksum, kind) values ('9999_later.sql', '', 'expand')`)
    await db.query(`delete from schema_migrations where name = '0010_idempotency.sql'`)
    await assertRefused(db.target, /has migration 9999_later\.sql.*start the newer version/)
  })

  it('whose migrations had another text', async () => {
    await migrate(db.target)
    await db.query(`update schema_migrations set checksum = 'x' where name = '0002_companies.sql'`)
    await assertRefused(db.target, /0002_companies\.sql has changed since it was applied/)
  })

  it('whose functions had another text without a new migration, or are of a newer version', async () => {
    await migrate(db.target)
    await db.query(`update schema_migrations set checksum = 'x' where name = 'functions/find_members.sql'`)
    await assertRefused(db.target, /functions\/find_members\.sql has changed since it was applied/)
    await db.query(
      `update schema_migrations set name = 'functions/later.sql' where name = 'functions/find_members.sql'`,
    )
    await assertRefused(db.target, /has migration functions\/later\.sql.*start the newer version/)
  })

  it('that is not in UTF-8', async () => {
    const name = `test_${randomBytes(6).toString('hex')}`
    await db.query(
      `create database ${name} owner tenantry encoding 'LATIN1' locale_provider libc locale 'C' template template0`,
    )
    await assertRefused({ ...db.target, database: name } as Target, /is in LATIN1: create it with ENCODING 'UTF8'/)
    await db.query(`drop database ${name}`)
  })
})

it('creates the rights in rights.json, with which every start compares a database', async () => {
  const client = new pg.Client(db.target)
  await client.connect()
  await client.query(LEDGER)
  for (const migration of readMigrations()) await client.query(migration.sql)
  const rights = await rightsOf(client)
  await client.end()
  assert.deepEqual(rights, JSON.parse(readFileSync(RIGHTS_FILE, 'utf8')))
})

describe('a version of PostgreSQL', () => {
  const about = (version: number) =>
    warningsAbout({ version, user: 'one', is_superuser: false, makes_roles: false, secondsOff: 0 }).join()

  it('that confuses roles causes a warning, which names the fixed version', () => {
    assert.match(about(150008), /^PostgreSQL 15\.8 .*CVE-2024-10976.* update it to 15\.10 or later$/)
    for (const version of [150009, 160005, 170001]) assert.match(about(version), /update it/)
    for (const version of [150010, 160006, 170002, 180000]) assert.equal(about(version), '')
  })
})

it('a start warns of a clock that differs from the one of the database', () => {
  const session = { version: 180000, user: 'one', is_superuser: false, makes_roles: false }
  assert.match(warningsAbout({ ...session, secondsOff: -60 }).join(), /is 60 s behind that of the database/)
})
