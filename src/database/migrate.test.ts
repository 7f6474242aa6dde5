import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import pg from 'pg'
import { createTestDatabase, type TestDatabase, testServer } from '../../test/support/database.ts'
import { type Embedded, startEmbedded } from './embedded.ts'
import { MigrationError, migrate } from './migrate.ts'
import { Database } from './open.ts'
import type { Target } from './session.ts'
import { asAnyone } from './tenancy.ts'

const ours = readdirSync(path.join(import.meta.dirname, '..', '..', 'migrations')).sort()
const { host, port } = testServer()

let db: TestDatabase
beforeEach(async () => {
  db = await createTestDatabase({ empty: true })
})
afterEach(() => db.drop())

const applied = async () =>
  (await db.query<{ name: string }>('select name from schema_migrations order by name')).map(({ name }) => name)

/** Refused in one sentence, which names what helps. */
const refused = (target: Target, sentence: RegExp) =>
  assert.rejects(migrate(target), (error) => {
    assert.ok(error instanceof MigrationError, String(error))
    assert.match(error.message, sentence)
    assert.doesNotMatch(error.message, /\n/)
    return true
  })

describe('migrating', () => {
  it('runs every migration once, in order, and a second time none', async () => {
    assert.deepEqual(await migrate(db.target), ours)
    assert.deepEqual(await applied(), ours)
    assert.deepEqual(await migrate(db.target), [])
  })

  it('runs every migration once also when many services start at once', async () => {
    const ran = await Promise.all(Array.from({ length: 5 }, () => migrate(db.target)))
    assert.deepEqual(
      ran.filter((names) => names.length > 0),
      [ours],
    )
    assert.deepEqual(await applied(), ours)
  })

  it('leaves nothing of a migration that fails, and goes on from there once it is mended', async () => {
    await db.query(`create table audit_records (); alter table audit_records owner to tenantry`)
    await assert.rejects(migrate(db.target), /Migration 0004_audit\.sql: relation "audit_records" already exists/)
    assert.deepEqual(await applied(), ours.slice(0, 3))
    await db.query('drop table audit_records')
    assert.deepEqual(await migrate(db.target), ours.slice(3))
  })

  it('is not disturbed by limits and settings of the role or the database', async () => {
    const name = (db.target as { database: string }).database
    for (const setting of [`statement_timeout = '1ms'`, `search_path = elsewhere`, `client_encoding = LATIN1`])
      await db.query(`alter database ${name} set ${setting}`)
    assert.deepEqual(await migrate(db.target), ours)
    const [row] = await db.query(`select count(*)::int as count from pg_tables where schemaname = 'public'`)
    assert.ok(row?.count > 5)
  })
})

describe('a database is refused', () => {
  it('that a newer version has changed', async () => {
    await migrate(db.target)
    await db.query(`insert into schema_migrations (name, checksum) values ('9999_later.sql', '')`)
    await refused(db.target, /has migration 9999_later\.sql.*start the newer version/)
  })

  it('whose migrations had another text', async () => {
    await migrate(db.target)
    await db.query(`update schema_migrations set checksum = 'x' where name = '0003_companies.sql'`)
    await refused(db.target, /0003_companies\.sql was applied with another text/)
  })

  it('that is not in UTF-8', async () => {
    const name = `test_${randomBytes(6).toString('hex')}`
    await db.query(
      `create database ${name} owner tenantry encoding 'LATIN1' locale_provider libc locale 'C' template template0`,
    )
    await refused({ ...db.target, database: name } as Target, /is in LATIN1: create it with ENCODING 'UTF8'/)
    await db.query(`drop database ${name}`)
  })
})

/** A role that owns a database of its own, both with names that need quotes. */
async function createOwner(rights: string): Promise<{ user: string; target: Target; drop(): Promise<void> }> {
  const user = `Owner ${randomBytes(6).toString('hex')}`
  await db.query(`create role "${user}" login ${rights}`)
  await db.query(`create database "${user}" owner "${user}" template template0`)
  return {
    user,
    target: { host, port, user, database: user },
    async drop() {
      await db.query(`drop database "${user}" with (force)`)
      await db.query(`drop role "${user}"`)
    },
  }
}

/** Does what a refusal told the operator to do, as a superuser in the database that was refused. */
async function obey(target: Target): Promise<string> {
  const error = await migrate(target).then(
    () => assert.fail('It was not refused'),
    (error: Error) => error,
  )
  assert.ok(error instanceof MigrationError, String(error))
  const command = /As a superuser[^:]*: (.+;)$/.exec(error.message)?.[1]
  assert.ok(command, error.message)
  const superuser = new pg.Client({ ...target, user: 'postgres' })
  await superuser.connect()
  await superuser.query(command)
  await superuser.end()
  return command
}

async function worksFor(target: Target): Promise<void> {
  assert.deepEqual(await migrate(target), ours)
  const database = new Database(target)
  assert.deepEqual(await database.autocommit(asAnyone).selectFrom('accounts').select('id').execute(), [])
  await database.close()
}

const [major] = await serverVersion()

describe('a role', () => {
  it('that is a plain owner with CREATEROLE is enough', async () => {
    const { rolsuper, rolcreaterole, rolbypassrls } = (
      await db.query(`select rolsuper, rolcreaterole, rolbypassrls from pg_roles where rolname = 'tenantry'`)
    )[0] as Record<string, boolean>
    assert.deepEqual([rolsuper, rolcreaterole, rolbypassrls], [false, true, false])
    await worksFor(db.target)
  })

  it('that comes second to a server is told the command that lets it in', async () => {
    const owner = await createOwner('createrole')
    try {
      // Since PostgreSQL 16 CREATEROLE is no right over roles that somebody else made.
      if (major >= 16) {
        const command = await obey(owner.target)
        assert.match(command, /^GRANT tenantry_\w+, tenantry_\w+, tenantry_\w+, tenantry_\w+ TO "Owner \w+";$/)
      }
      await worksFor(owner.target)
    } finally {
      await owner.drop()
    }
  })

  it('without CREATEROLE is enough where the roles are there and it is a member of them', async () => {
    const owner = await createOwner('nocreaterole')
    try {
      assert.match(await obey(owner.target), /^GRANT /)
      await worksFor(owner.target)
    } finally {
      await owner.drop()
    }
  })

  it('that does not own its database is told the command that gives it', async () => {
    const owner = await createOwner('createrole')
    try {
      await db.query(`alter database "${owner.user}" owner to postgres`)
      await db.query(`grant tenantry_none, tenantry_account, tenantry_tenant, tenantry_worker to "${owner.user}"`)
      assert.match(await obey(owner.target), /^ALTER DATABASE/)
      await worksFor(owner.target)
    } finally {
      await owner.drop()
    }
  })

  it('that may not create tables is told the command that lets it', async () => {
    const superuser = new pg.Client({ ...db.target, user: 'postgres' })
    await superuser.connect()
    await superuser.query('alter schema public owner to postgres; revoke create on schema public from public')
    await superuser.end()
    assert.match(await obey(db.target), /^GRANT ALL ON SCHEMA public/)
    await worksFor(db.target)
  })
})

describe('on a server where nothing was migrated yet', () => {
  let server: Embedded
  let superuser: pg.Client
  const dataDir = mkdtempSync(path.join(tmpdir(), 'tenantry-migrate-'))
  before(async () => {
    server = await startEmbedded({ dataDir })
    superuser = new pg.Client(server.administrator)
    await superuser.connect()
  })
  after(async () => {
    await superuser.end()
    await server.stop()
    rmSync(dataDir, { recursive: true })
  })

  it('a role without CREATEROLE is told the command that gives it', async () => {
    await superuser.query('create role plain login')
    await superuser.query('create database plain owner plain')
    const target = { ...server.connection, user: 'plain', database: 'plain' }
    assert.equal(await obey(target), 'ALTER ROLE plain CREATEROLE;')
    await superuser.query('alter role plain nocreaterole')
  })

  it('several databases of one owner are migrated at once', async () => {
    const targets = ['one', 'two', 'three', 'four'].map((database) => ({ ...server.connection, database }))
    for (const { database } of targets) await superuser.query(`create database ${database} owner tenantry`)
    await Promise.all(targets.map(worksFor))
  })
})

async function serverVersion(): Promise<[number]> {
  const client = new pg.Client({ host, port, user: 'postgres', database: 'postgres' })
  await client.connect()
  const { rows } = await client.query(`select current_setting('server_version_num')::int / 10000 as major`)
  await client.end()
  return [rows[0].major]
}
