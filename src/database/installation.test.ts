import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { testServer } from '../../test/support/database.ts'
import { SERVICE_SETTINGS, type Target } from './connection-settings.ts'
import { type Embedded, startEmbedded } from './embedded/embedded.ts'
import { MigrationError, migrate } from './migrate.ts'
import { Database } from './open.ts'
import { RIGHTS_FILE, type Rights, repairRights, rightsOf } from './rights.ts'
import { ROLES, rolesSql } from './roles.ts'
import { asAnyone, inCompany } from './scopes.ts'
import { prepareConnection } from './statements.ts'

// Roles belong to the whole server, so these tests start one of their own.
const dataDir = mkdtempSync(path.join(tmpdir(), 'tenantry-installation-'))
let server: Embedded
let superuser: pg.Client
let major: number
before(async () => {
  const { binDir } = testServer()
  server = await startEmbedded({ dataDir, settings: { fsync: 'off' }, ...(binDir && { binDir }) })
  superuser = await connect({ ...server.superuser })
  major = Number.parseInt(server.version, 10)
})
after(async () => {
  await superuser.end()
  await server.stop()
  rmSync(dataDir, { recursive: true })
})

/** Makes the server empty again: no database and no role. */
beforeEach(async () => {
  const names = async (text: string) => (await superuser.query<{ name: string }>(text)).rows.map(({ name }) => name)
  for (const name of await names(
    `select quote_ident(datname) as name from pg_database where datname <> 'postgres' and not datistemplate`,
  ))
    await superuser.query(`drop database ${name} with (force)`)
  const roles = await names(
    `select quote_ident(rolname) as name from pg_roles where rolname <> 'postgres' and rolname !~ '^pg_'`,
  )
  if (roles.length === 0) return
  const list = roles.join(', ')
  await superuser.query(`drop owned by ${list} cascade; drop role ${list}`)
})

async function connect(target: Target): Promise<pg.Client> {
  const client = new pg.Client(target)
  client.on('error', () => {})
  await client.connect()
  return client
}

const targetOf = (user: string, database = user): Target => ({ ...server.connection, user, database })

/** Runs `work` as a superuser in one database. */
async function inDatabase<Result>(database: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = await connect(targetOf('postgres', database))
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
const run = (database: string, text: string) => inDatabase(database, (client) => client.query(text))

/** Creates a role with a database of its own, as the README says. */
async function createOwner(name: string, { rights = '', roles = true } = {}): Promise<Target> {
  await superuser.query(`create role "${name}" login ${rights}`)
  await superuser.query(`create database "${name}" owner "${name}" template template0`)
  if (roles) await superuser.query(rolesSql({ user: name, database: name }))
  return targetOf(name)
}

/** Starts the service, and returns what it logs. */
async function boot(target: Target): Promise<string[]> {
  const logged: string[] = []
  const write = (...parts: unknown[]) => logged.push(parts.map((part) => JSON.stringify(part)).join(' '))
  await migrate(target, { info: write, warn: write })
  const database = new Database(target)
  try {
    assert.deepEqual(await database.autocommit(asAnyone).selectFrom('accounts').select('id').execute(), [])
    const acme = inCompany('00000000-0000-7000-8000-000000000001', '')
    assert.deepEqual(await database.autocommit(acme).selectFrom('companies').select('id').execute(), [])
    await assert.rejects(
      sql`select from passwords`.execute(database.autocommit(acme)),
      (error) => (error as { code?: string }).code === '42501',
    )
  } finally {
    await database.close()
  }
  return logged
}

/** Expects the start to be refused with this message, and returns the message. */
async function refusal(target: Target, pattern: RegExp): Promise<string> {
  const error = await migrate(target).then(
    () => assert.fail('The start was not refused'),
    (error: Error) => error,
  )
  assert.ok(error instanceof MigrationError, error.stack)
  assert.match(error.message, pattern)
  assert.doesNotMatch(error.message, /\n/)
  return error.message
}

/** Runs the command that a refusal tells the operator to run. */
async function runSuggestion(target: Target, pattern: RegExp): Promise<void> {
  const message = await refusal(target, pattern)
  const command = /[Aa]s a superuser[^:]*: (.+;)$/.exec(message)?.[1]
  assert.ok(command, message)
  await run((target as { database: string }).database, command)
}

const isRefused = async (target: Target) =>
  connect(target).then(
    (client) => client.end().then(() => false),
    (error) => /permission denied for database/.test(error.message),
  )

const membersOfRoles = async () =>
  (
    await superuser.query(
      `select distinct member::regrole::text as name from pg_auth_members where roleid::regrole::text like 'tenantry\\_%'`,
    )
  ).rows.map(({ name }) => name)

const expectedRights = () => JSON.parse(readFileSync(RIGHTS_FILE, 'utf8'))
const rightsIn = (database: string) =>
  inDatabase(database, async (client) => {
    await client.query('set search_path = public')
    return rightsOf(client)
  })

describe('a server is prepared for the service', () => {
  it('by the output of tenantry roles: then a plain role that owns its database is enough', async () => {
    await superuser.query('create role "Plain one" login')
    await superuser.query('create database "The ""first""" owner "Plain one"')
    const options = ['roles', '--user', 'Plain one', '--database', 'The "first"']
    const printed = execFileSync(process.execPath, ['src/cli/main.ts', ...options], { encoding: 'utf8' })
    await superuser.query(printed)
    await superuser.query(printed)
    const target = targetOf('Plain one', 'The "first"')
    assert.deepEqual([await boot(target), await boot(target)], [[], []])
    assert.deepEqual(await rightsIn('The "first"'), expectedRights())
  })

  it('by the commands in the refusal of a start that may not create the roles', async () => {
    const target = await createOwner('Plain one', { roles: false })
    await runSuggestion(target, /^The roles tenantry_none, .* are missing and "Plain one" may not create them/)
    await boot(target)
  })

  it('by the service itself when its role has CREATEROLE, with a warning on PostgreSQL 15', async () => {
    const target = await createOwner('one', { rights: 'createrole', roles: false })
    const [closed, ...warnings] = (await boot(target)).reverse()
    assert.match(closed ?? '', /revoked CONNECT on database one from PUBLIC/)
    assert.equal(warnings.length, major === 15 ? 1 : 0)
    for (const warning of warnings) assert.match(warning, /CREATEROLE.*every role of the server.*NOCREATEROLE/)
    assert.deepEqual((await boot(target)).length, warnings.length)
  })

  it('for several databases of one owner whose services start at the same time', async () => {
    await createOwner('one', { rights: 'createrole', roles: false })
    const names = ['two', 'three', 'four']
    for (const name of names) await superuser.query(`create database ${name} owner one`)
    await Promise.all(names.map((name) => boot(targetOf('one', name))))
  })

  it('by the command in the refusal of a role that does not own its database or may not create tables', async () => {
    const target = await createOwner('Plain one')
    await superuser.query(
      'alter database "Plain one" owner to postgres; grant create, connect on database "Plain one" to "Plain one"',
    )
    await runSuggestion(target, /^Role "Plain one" does not own database "Plain one"/)
    await run('Plain one', 'alter schema public owner to postgres; revoke create on schema public from public')
    await runSuggestion(target, /may not create tables/)
    await boot(target)
  })

  it('with a warning when the role of the service is a superuser', async () => {
    const [logged] = await boot(await createOwner('mighty', { rights: 'superuser', roles: false }))
    assert.match(logged ?? '', /role mighty of DATABASE_URL is a superuser/)
  })
})

describe('two installations on one server', () => {
  for (const rights of ['', 'createrole']) {
    it(`can't read each other, and the second one is refused with the reason${rights && ', with CREATEROLE'}`, async () => {
      const one = await createOwner('one', { rights, roles: rights === '' })
      const two = await createOwner('two', { rights, roles: false })
      await boot(one)
      await refusal(
        two,
        /^One installation for each PostgreSQL server: .* one is a member of them without owning database two/,
      )
      assert.equal(await isRefused(targetOf('two', 'one')), true)
      assert.equal(await isRefused(targetOf('one', 'two')), true)
      assert.equal((await membersOfRoles()).includes('two'), false)
      await boot(one)
    })
  }

  it('are both refused after a superuser has added the second one, until it is removed', async () => {
    const one = await createOwner('one')
    await boot(one)
    const two = await createOwner('two')
    await refusal(two, /without owning database two/)
    await runSuggestion(one, /and two is a member of them without owning database one/)
    await boot(one)
    assert.deepEqual(await membersOfRoles(), ['one'])
  })

  it('are detected by any member of the roles, however it became one', async () => {
    const one = await createOwner('one', { rights: 'createrole', roles: false })
    await boot(one)
    await superuser.query('create role two')
    const client = await connect(one)
    await client.query('grant tenantry_tenant to two with admin option')
    await client.end()
    await superuser.query('create role three; grant two to three')
    await runSuggestion(one, /and two is a member/)
    await boot(one)
  })

  it('are not assumed for superusers, for members of the owner, and for the creator of the roles', async () => {
    const creating = ROLES.map((name) => `create role ${name} nologin noinherit`).join('; ')
    await superuser.query('create role administrator createrole; set role administrator')
    await superuser.query(`${creating}; reset role`)
    const one = await createOwner('one')
    await superuser.query('create role mighty superuser; grant tenantry_tenant to mighty')
    await superuser.query('create role deputy login; grant one to deputy; grant tenantry_tenant to deputy')
    await boot(one)
    await boot(targetOf('deputy', 'one'))
  })
})

describe('every start', () => {
  it('revokes the connect privilege of all other roles again', async () => {
    const one = await createOwner('one')
    await boot(one)
    await superuser.query('create role guest login; grant connect on database one to public')
    assert.equal(await isRefused(targetOf('guest', 'one')), false)
    assert.match((await boot(one)).join(), /revoked CONNECT on database one from PUBLIC/)
    assert.equal(await isRefused(targetOf('guest', 'one')), true)
  })

  it('revokes it on a copy of the database, which does not inherit such privileges', async () => {
    await boot(await createOwner('one'))
    await superuser.query('create role guest login')
    await superuser.query('create database copy template one owner one')
    await boot(targetOf('one', 'copy'))
    assert.equal(await isRefused(targetOf('guest', 'copy')), true)
    assert.deepEqual(await rightsIn('copy'), expectedRights())
  })

  it('creates roles, grants and policies that a restored dump lacks, and logs them', async () => {
    const one = await createOwner('one')
    await boot(one)
    const roles = ROLES.join(', ')
    await run('one', `drop owned by ${roles}; revoke ${roles} from one; drop role ${roles}`)
    await run('one', 'grant execute on all functions in schema public to public')
    assert.notDeepEqual(await rightsIn('one'), expectedRights())

    await runSuggestion(one, /are missing and one may not create them/)
    const [logged, ...more] = await boot(one)
    assert.match(logged ?? '', /create policy own_company on roles .*grant execute on function find_members/)
    assert.match(logged ?? '', /"revoked":\[.*grant execute on function find_account\(uuid,text\) to public/)
    assert.deepEqual(more, [])
    assert.deepEqual(await rightsIn('one'), expectedRights())
  })

  it('revokes rights that the migrations do not grant, and keeps those on other objects and of other roles', async () => {
    const one = await createOwner('one')
    await boot(one)
    await superuser.query('create role reporting')
    await run(
      'one',
      `grant select on passwords to tenantry_tenant;
       grant select on accounts to public;
       grant select on accounts to tenantry_tenant;
       grant update (actor_name) on audit_records to tenantry_worker;
       grant execute on function find_account to public;
       grant insert on emails to tenantry_account with grant option;
       grant create on schema public to tenantry_none;
       alter table memberships disable row level security;
       alter table roles force row level security;
       create policy open on roles to tenantry_tenant using (true);
       drop policy own_company on branches;
       create policy own_company on branches to tenantry_tenant using (true);
       revoke select on memberships from tenantry_tenant`,
    )
    const foreign = `create table notes (); grant all on notes to public; create policy mine on roles to reporting using (true);
      grant select on companies to reporting`
    await run('one', foreign)

    const logged = (await boot(one)).join('\n')
    for (const part of [
      'select on passwords to tenantry_tenant',
      'policy open on roles',
      'memberships enable row level',
    ])
      assert.ok(logged.includes(part), logged)
    const { 'table notes': notes, ...rights } = await rightsIn('one')
    assert.deepEqual(rights, expectedRights())
    assert.equal(notes?.length, 2)
    const { rows } = await inDatabase('one', (client) =>
      client.query(`select has_table_privilege('reporting', 'companies', 'select') as reads,
        exists (select from pg_policies where policyname = 'mine') as policy`),
    )
    assert.deepEqual(rows, [{ reads: true, policy: true }])
  })

  it('logs only what it has repaired, and refuses what it may not repair with the command that does', async () => {
    const one = await createOwner('one')
    await boot(one)
    // So pg_upgrade leaves a server that was made by PostgreSQL 14.
    await run('one', 'alter schema public owner to postgres; grant create on schema public to public')
    await run('one', 'drop policy own_company on roles')
    const logged: string[] = []
    const log = { info: assert.fail, warn: (...parts: unknown[]) => logged.push(JSON.stringify(parts)) }
    await assert.rejects(migrate(one, log), /revoke all on schema public from public cascade; grant usage/)
    assert.match(logged.join(), /"restored":\["create policy own_company on roles [^"]*"\],"revoked":\[\]/)
    await assert.rejects(migrate(one, { info: assert.fail, warn: assert.fail }), MigrationError)
    await runSuggestion(one, /^Rights in the database differ from the migrations/)
    await runSuggestion(one, /may not create tables/)
    assert.deepEqual(await boot(one), [])
  })

  it('replaces a policy of the same name that is for another role', async () => {
    const one = await createOwner('one')
    await boot(one)
    await superuser.query('create role reporting')
    await run('one', 'alter policy own_company on roles to reporting')
    assert.match((await boot(one)).join(), /create policy own_company on roles/)
    assert.deepEqual(await rightsIn('one'), expectedRights())
  })

  it('accepts a policy that another version of PostgreSQL prints differently, and repairs one that differs', async () => {
    const one = await createOwner('one')
    await boot(one)
    const otherForms = Object.entries(expectedRights() as Rights).map(([object, statements]) => [
      object,
      statements.map((statement) => statement.replace(/ using \((.*?)\)(?= with check |$)/, ' using ((($1)))')),
    ])
    const client = await connect(one)
    await client.query('set search_path = public')
    const policies = async () => (await client.query('select oid, polname from pg_policy order by oid')).rows
    const repair = async () => {
      const logged: string[] = []
      const write = (...parts: unknown[]) => logged.push(JSON.stringify(parts))
      await repairRights(client, { info: write, warn: write }, Object.fromEntries(otherForms))
      return logged
    }
    const before = await policies()
    assert.match((await repair()).join(), /^\["this PostgreSQL writes policies in another form/)
    assert.deepEqual(await policies(), before, 'no policy was created again')
    await client.query('alter policy own_company on roles using (true)')
    const logged = await repair()
    assert.match(
      logged.join(),
      /"restored":\["create policy own_company on roles [^"]*"\],"revoked":\["[^"]*using \(true\)/,
    )
    assert.equal(logged.length, 1)
    await client.end()
  })

  it('is refused while a role of the service can bypass row-level security, with the command that helps', async () => {
    const one = await createOwner('one')
    await superuser.query('alter role tenantry_tenant bypassrls')
    await runSuggestion(one, /can bypass row-level security/)
    await superuser.query('grant pg_read_all_data to tenantry_worker; grant tenantry_worker to tenantry_none')
    await runSuggestion(one, /can bypass row-level security/)
    await boot(one)
  })

  it('is refused while a part of a dump is missing or belongs to another role', async () => {
    const one = await createOwner('one')
    await boot(one)
    await run('one', 'alter table accounts owner to postgres; alter function find_members owner to postgres')
    await runSuggestion(one, /^Role one does not own everything in database one, such as function find_members/)
    await boot(one)
    await run('one', 'drop table audit_lease')
    await refusal(one, /lacks .*\btable audit_lease\b.*: restore all of its dump/)
  })

  it('is refused while a trigger, a constraint or a unique index is missing', async () => {
    const one = await createOwner('one')
    await boot(one)
    await run(
      'one',
      `drop trigger sync_from_account on memberships; drop index roles_name_key;
       alter table membership_roles drop constraint membership_roles_role_fkey`,
    )
    const lacking = [
      'constraint membership_roles_role_fkey on membership_roles',
      'index roles_name_key on roles',
      'trigger sync_from_account on memberships',
    ]
    await refusal(one, new RegExp(`^The database lacks ${lacking.join(', ')}: restore all of its dump`))
  })

  it('is refused while triggers would not fire, with the command that helps', async () => {
    const one = await createOwner('one')
    await boot(one)
    await run('one', 'alter table memberships disable trigger all; alter table roles disable trigger replace_role')
    await runSuggestion(one, /^Triggers are disabled/)
    await boot(one)
    for (const whose of ['database one', 'role one', 'role one in database one']) {
      await run('one', `alter ${whose} set session_replication_role = replica`)
      await runSuggestion(one, /^Triggers do not fire, because session_replication_role is replica/)
      await boot(one)
    }
  })
})

it('gives a prepared connection no rights outside of a scope', async () => {
  const one = await createOwner('one')
  await migrate(one)
  const client = await connect(Object.assign(one, { pipeline: true }))
  await prepareConnection(client, SERVICE_SETTINGS, { isPooledByTransaction: false })
  await assert.rejects(client.query('select from accounts'), /permission denied/)
  await client.end()
})
