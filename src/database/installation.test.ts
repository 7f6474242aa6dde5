import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { testServer } from '../../test/support/database.ts'
import { type Embedded, startEmbedded } from './embedded/embedded.ts'
import { MigrationError, migrate } from './migrate.ts'
import { Database } from './open.ts'
import { mendRights, RIGHTS_FILE, type Rights, rightsOf } from './rights.ts'
import { ROLES, rolesSql } from './roles.ts'
import { asAnyone, inCompany } from './scopes.ts'
import type { Target } from './session.ts'
import { prepareSteps } from './statements.ts'

// Roles belong to the server, so each of these tests has it for itself.
const dataDir = mkdtempSync(path.join(tmpdir(), 'tenantry-installation-'))
let server: Embedded
let superuser: pg.Client
let major: number
before(async () => {
  const { programs } = testServer()
  server = await startEmbedded({ dataDir, settings: { fsync: 'off' }, ...(programs && { programs }) })
  superuser = await connect({ ...server.administrator })
  major = Number.parseInt(server.version, 10)
})
after(async () => {
  await superuser.end()
  await server.stop()
  rmSync(dataDir, { recursive: true })
})

/** As the server was when nothing of ours had been made on it. */
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

/** Does something as a superuser in one database. */
async function inDatabase<Result>(database: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = await connect(targetOf('postgres', database))
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
const run = (database: string, text: string) => inDatabase(database, (client) => client.query(text))

/** A role with a database of its own, as the README says. */
async function owner(name: string, { rights = '', roles = true } = {}): Promise<Target> {
  await superuser.query(`create role "${name}" login ${rights}`)
  await superuser.query(`create database "${name}" owner "${name}" template template0`)
  if (roles) await superuser.query(rolesSql({ user: name, database: name }))
  return targetOf(name)
}

/** A start of the service, with all that it says. */
async function boot(target: Target): Promise<string[]> {
  const said: string[] = []
  const say = (...parts: unknown[]) => said.push(parts.map((part) => JSON.stringify(part)).join(' '))
  await migrate(target, { info: say, warn: say })
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
  return said
}

async function refusal(target: Target, sentence: RegExp): Promise<string> {
  const error = await migrate(target).then(
    () => assert.fail('It was not refused'),
    (error: Error) => error,
  )
  assert.ok(error instanceof MigrationError, error.stack)
  assert.match(error.message, sentence)
  assert.doesNotMatch(error.message, /\n/)
  return error.message
}

/** Does what a refusal told the operator to do. */
async function obey(target: Target, sentence: RegExp): Promise<void> {
  const message = await refusal(target, sentence)
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

describe('a server is prepared', () => {
  it('by what npm run roles prints: then a plain role that owns its database is enough', async () => {
    await superuser.query('create role "Plain one" login')
    await superuser.query('create database "The ""first""" owner "Plain one"')
    const options = ['--sql', '--user', 'Plain one', '--database', 'The "first"']
    const printed = execFileSync(process.execPath, ['scripts/roles.ts', ...options], { encoding: 'utf8' })
    await superuser.query(printed)
    await superuser.query(printed)
    const target = targetOf('Plain one', 'The "first"')
    assert.deepEqual([await boot(target), await boot(target)], [[], []])
    assert.deepEqual(await rightsIn('The "first"'), expectedRights())
  })

  it('by the commands that a start tells, where it may not make the roles', async () => {
    const target = await owner('Plain one', { roles: false })
    await obey(target, /^The roles tenantry_none, .* are missing and "Plain one" may not make them/)
    await boot(target)
  })

  it('by the service itself, where its role has CREATEROLE: on 15 with a warning', async () => {
    const target = await owner('one', { rights: 'createrole', roles: false })
    const [closed, ...warnings] = (await boot(target)).reverse()
    assert.match(closed ?? '', /revoked CONNECT on database one from PUBLIC/)
    assert.equal(warnings.length, major === 15 ? 1 : 0)
    for (const warning of warnings) assert.match(warning, /CREATEROLE.*every role of the server.*NOCREATEROLE/)
    assert.deepEqual((await boot(target)).length, warnings.length)
  })

  it('for several databases of one owner that start at once', async () => {
    await owner('one', { rights: 'createrole', roles: false })
    const names = ['two', 'three', 'four']
    for (const name of names) await superuser.query(`create database ${name} owner one`)
    await Promise.all(names.map((name) => boot(targetOf('one', name))))
  })

  it('by the command that a start tells, where it does not own its database or may not create tables', async () => {
    const target = await owner('Plain one')
    await superuser.query(
      'alter database "Plain one" owner to postgres; grant create, connect on database "Plain one" to "Plain one"',
    )
    await obey(target, /^Role "Plain one" does not own database "Plain one"/)
    await run('Plain one', 'alter schema public owner to postgres; revoke create on schema public from public')
    await obey(target, /may not create tables/)
    await boot(target)
  })

  it('with a warning, where the service is a superuser', async () => {
    const [said] = await boot(await owner('mighty', { rights: 'superuser', roles: false }))
    assert.match(said ?? '', /role mighty of DATABASE_URL is a superuser/)
  })
})

describe('two installations on one server', () => {
  for (const rights of ['', 'createrole']) {
    it(`cannot read each other, and the second one is told why it does not start${rights && ', with CREATEROLE'}`, async () => {
      const one = await owner('one', { rights, roles: rights === '' })
      const two = await owner('two', { rights, roles: false })
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

  it('stop both when a superuser lets the second one in, until it is put out again', async () => {
    const one = await owner('one')
    await boot(one)
    const two = await owner('two')
    await refusal(two, /without owning database two/)
    await obey(one, /and two is a member of them without owning database one/)
    await boot(one)
    assert.deepEqual(await membersOfRoles(), ['one'])
  })

  it('are told of a member whoever made it one', async () => {
    const one = await owner('one', { rights: 'createrole', roles: false })
    await boot(one)
    await superuser.query('create role two')
    const client = await connect(one)
    await client.query('grant tenantry_tenant to two with admin option')
    await client.end()
    await superuser.query('create role three; grant two to three')
    await obey(one, /and two is a member/)
    await boot(one)
  })

  it('are not seen in superusers, in whoever may act as the owner, nor in who merely made the roles', async () => {
    const creating = ROLES.map((name) => `create role ${name} nologin noinherit`).join('; ')
    await superuser.query('create role administrator createrole; set role administrator')
    await superuser.query(`${creating}; reset role`)
    const one = await owner('one')
    await superuser.query('create role mighty superuser; grant tenantry_tenant to mighty')
    await superuser.query('create role deputy login; grant one to deputy; grant tenantry_tenant to deputy')
    await boot(one)
    await boot(targetOf('deputy', 'one'))
  })
})

describe('every start', () => {
  it('closes the database again to everybody else', async () => {
    const one = await owner('one')
    await boot(one)
    await superuser.query('create role guest login; grant connect on database one to public')
    assert.equal(await isRefused(targetOf('guest', 'one')), false)
    assert.match((await boot(one)).join(), /revoked CONNECT on database one from PUBLIC/)
    assert.equal(await isRefused(targetOf('guest', 'one')), true)
  })

  it('closes a copy of the database, which brings no such rights along', async () => {
    await boot(await owner('one'))
    await superuser.query('create role guest login')
    await superuser.query('create database copy template one owner one')
    await boot(targetOf('one', 'copy'))
    assert.equal(await isRefused(targetOf('guest', 'copy')), true)
    assert.deepEqual(await rightsIn('copy'), expectedRights())
  })

  it('gives a dump that was restored to another server its roles, grants and policies, and says so', async () => {
    const one = await owner('one')
    await boot(one)
    const roles = ROLES.join(', ')
    await run('one', `drop owned by ${roles}; revoke ${roles} from one; drop role ${roles}`)
    await run('one', 'grant execute on all functions in schema public to public')
    assert.notDeepEqual(await rightsIn('one'), expectedRights())

    await obey(one, /are missing and one may not make them/)
    const [said, ...more] = await boot(one)
    assert.match(said ?? '', /create policy own_company on roles .*grant execute on function find_members/)
    assert.match(said ?? '', /"revoked":\[.*grant execute on function find_account\(uuid,text\) to public/)
    assert.deepEqual(more, [])
    assert.deepEqual(await rightsIn('one'), expectedRights())
  })

  it('takes back what the migrations did not give, and leaves alone what is not ours', async () => {
    const one = await owner('one')
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

    const said = (await boot(one)).join('\n')
    for (const part of [
      'select on passwords to tenantry_tenant',
      'policy open on roles',
      'memberships enable row level',
    ])
      assert.ok(said.includes(part), said)
    const { 'table notes': notes, ...rights } = await rightsIn('one')
    assert.deepEqual(rights, expectedRights())
    assert.equal(notes?.length, 2)
    const { rows } = await inDatabase('one', (client) =>
      client.query(`select has_table_privilege('reporting', 'companies', 'select') as reads,
        exists (select from pg_policies where policyname = 'mine') as policy`),
    )
    assert.deepEqual(rows, [{ reads: true, policy: true }])
  })

  it('says only what it mended, and what it may not mend is told at once with the command that helps', async () => {
    const one = await owner('one')
    await boot(one)
    // So pg_upgrade leaves a server that was made by PostgreSQL 14.
    await run('one', 'alter schema public owner to postgres; grant create on schema public to public')
    await run('one', 'drop policy own_company on roles')
    const said: string[] = []
    const log = { info: assert.fail, warn: (...parts: unknown[]) => said.push(JSON.stringify(parts)) }
    await assert.rejects(migrate(one, log), /revoke all on schema public from public cascade; grant usage/)
    assert.match(said.join(), /"made":\["create policy own_company on roles [^"]*"\],"revoked":\[\]/)
    await assert.rejects(migrate(one, { info: assert.fail, warn: assert.fail }), MigrationError)
    await obey(one, /^Rights in the database are not as the migrations made them/)
    await obey(one, /may not create tables/)
    assert.deepEqual(await boot(one), [])
  })

  it('puts a policy of ours in place of one of the same name that is for another role', async () => {
    const one = await owner('one')
    await boot(one)
    await superuser.query('create role reporting')
    await run('one', 'alter policy own_company on roles to reporting')
    assert.match((await boot(one)).join(), /create policy own_company on roles/)
    assert.deepEqual(await rightsIn('one'), expectedRights())
  })

  it('takes policies for the same that a version of PostgreSQL writes otherwise, and mends those that differ', async () => {
    const one = await owner('one')
    await boot(one)
    const otherwise = Object.entries(expectedRights() as Rights).map(([object, statements]) => [
      object,
      statements.map((statement) => statement.replace(/ using \((.*?)\)(?= with check |$)/, ' using ((($1)))')),
    ])
    const client = await connect(one)
    await client.query('set search_path = public')
    const policies = async () => (await client.query('select oid, polname from pg_policy order by oid')).rows
    const mend = async () => {
      const said: string[] = []
      const say = (...parts: unknown[]) => said.push(JSON.stringify(parts))
      await mendRights(client, { info: say, warn: say }, Object.fromEntries(otherwise))
      return said
    }
    const before = await policies()
    assert.match((await mend()).join(), /^\["this PostgreSQL writes policies otherwise/)
    assert.deepEqual(await policies(), before, 'nothing was made anew')
    await client.query('alter policy own_company on roles using (true)')
    const said = await mend()
    assert.match(said.join(), /"made":\["create policy own_company on roles [^"]*"\],"revoked":\["[^"]*using \(true\)/)
    assert.equal(said.length, 1)
    await client.end()
  })

  it('is refused where a role of the service could pass the policies, with the command that helps', async () => {
    const one = await owner('one')
    await superuser.query('alter role tenantry_tenant bypassrls')
    await obey(one, /have rights that pass its policies/)
    await superuser.query('grant pg_read_all_data to tenantry_worker; grant tenantry_worker to tenantry_none')
    await obey(one, /have rights that pass its policies/)
    await boot(one)
  })

  it('is refused where a part of the dump is missing or belongs to another role', async () => {
    const one = await owner('one')
    await boot(one)
    await run('one', 'alter table accounts owner to postgres; alter function find_members owner to postgres')
    await obey(one, /^Role one does not own all that is in database one, such as function find_members/)
    await boot(one)
    await run('one', 'drop table audit_lease')
    await refusal(one, /lacks table audit_lease: restore all of its dump/)
  })
})

it('a connection has no rights also where the server ignores the role that it is opened with', async () => {
  const one = await owner('one')
  await migrate(one)
  const client = await connect(Object.assign(one, { pipeline: true }))
  await prepareSteps(client)
  await assert.rejects(client.query('select from accounts'), /permission denied/)
  await client.end()
})
