import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { type Embedded, startEmbedded } from '../../src/database/embedded/embedded.ts'
import { migrate } from '../../src/database/migrate.ts'
import { rolesSql } from '../../src/database/roles.ts'
import { startTestApp } from '../support/app.ts'
import { databaseUrlOf } from '../support/command-line.ts'
import type { TestDatabase } from '../support/database.ts'
import { addMember, join } from '../support/members.ts'
import { type Person, signUp } from '../support/people.ts'

// The commands of docs/operations.md, as they stand there, with the programs of PostgreSQL 15: from such a server to a new one,
// and to the PostgreSQL of the npm package, which has no programs for backups.

const BIN_DIR = '/usr/lib/postgresql/15/bin'
const APP_SECRET = 'the-secret-that-was-in-force-at-the-backup'
const root = path.join(import.meta.dirname, '..', '..')
const folder = mkdtempSync(path.join(tmpdir(), 'tenantry-restore-'))

const section = /## Back up and restore\n([\s\S]*?)\n## /.exec(
  readFileSync(path.join(root, 'docs/operations.md'), 'utf8'),
)
const [backup = '', restore = ''] = [...(section?.[1] ?? '').matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(
  ([, commands = '']) => commands,
)

interface Server {
  /** The folder of its socket, also for other processes. */
  host: string
  superuser: pg.Client
}

const embedded: Embedded[] = []
const superusers: pg.Client[] = []
after(async () => {
  for (const superuser of superusers) await superuser.end()
  for (const server of embedded) await server.stop()
  rmSync(folder, { recursive: true })
})

const targetOn = ({ host }: Server) => ({ host, port: 5432, user: 'tenantry', database: 'tenantry' })

/** A new PostgreSQL 15, or the one of the npm package, without any role or database of the service. */
async function startServer({ isBundled = false } = {}): Promise<Server> {
  assert.ok(existsSync(path.join(BIN_DIR, 'pg_dump')), `this test needs pg_dump: apt-get install postgresql-15`)
  const dataDir = mkdtempSync(path.join(folder, 'server-'))
  const programs = isBundled ? {} : { binDir: BIN_DIR }
  embedded.push(await startEmbedded({ dataDir, ...programs, settings: { fsync: 'off' } }))
  const host = path.join(dataDir, 'postgres')
  const superuser = await connect(host, 'postgres')
  await superuser.query('drop database tenantry')
  const { rows } = await superuser.query(`select rolname from pg_roles where rolname like 'tenantry%'`)
  for (const { rolname } of rows) await superuser.query(`drop role ${rolname}`)
  return { host, superuser }
}

async function connect(host: string, database: string): Promise<pg.Client> {
  const client = new pg.Client({ host, user: 'postgres', database })
  client.on('error', () => {})
  await client.connect()
  superusers.push(client)
  return client
}

/** Runs commands of the page in a folder of their own, as a superuser of one server and with the address of a database. */
function runCommands(commands: string, server: Server) {
  const env = {
    PATH: `${BIN_DIR}:${path.dirname(process.execPath)}:${process.env.PATH}`,
    ...{ PGHOST: server.host, PGUSER: 'postgres', PGDATABASE: 'postgres', PASSWORD: 'of-the-service' },
    ...{ DATABASE_URL: databaseUrlOf({ target: targetOn(server) }), APP_SECRET, DATA_DIR: folder },
  }
  // Where the page has the folder of the installation, the dump is in another one here.
  const script = commands.replaceAll('tenantry.dump', path.join(folder, 'tenantry.dump'))
  return spawnSync('/bin/bash', ['--norc', '-eo', 'pipefail', '-c', script], { cwd: root, env, encoding: 'utf8' })
}

/** What the tests of the API need of a database, on this server. */
async function openDatabase(server: Server): Promise<TestDatabase> {
  const client = await connect(server.host, 'tenantry')
  return {
    target: targetOn(server),
    query: async (text, values = []) => (await client.query(text, values)).rows as never,
    waitForLock: () => Promise.reject(new Error('No test waits here')),
    drop: async () => {},
  }
}

async function createOwner({ superuser }: Server, { rights = '' } = {}): Promise<void> {
  await superuser.query(`create role tenantry login ${rights}`)
  await superuser.query(`create database tenantry owner tenantry encoding 'UTF8' template template0`)
}

describe('a backup', () => {
  let ann: Person
  let bob: Person

  before(async () => {
    const server = await startServer()
    await createOwner(server)
    await server.superuser.query(rolesSql({ user: 'tenantry', database: 'tenantry' }))
    await migrate(targetOn(server))
    const service = await startTestApp({ APP_SECRET }, await openDatabase(server))
    try {
      ann = await signUp(service.client)
      bob = await join(ann, await signUp(service.client), ['Admin'])
      await addMember(ann)
      assert.equal((await ann.api.get('/companies/audit/verify')).body.data.valid, true)
    } finally {
      await service.close()
    }
    const dumped = runCommands(backup, server)
    assert.equal(dumped.status, 0, dumped.stderr)
  })

  it('is restored to a new server by the commands of the page, and people stay signed in', async () => {
    await assertRestoredTo(await startServer())
  })

  it('is restored to a later major version by the same commands', async () => {
    const server = await startServer({ isBundled: true })
    const [version] = (await server.superuser.query('show server_version_num')).rows
    assert.ok(Number(version.server_version_num) >= 180_000)
    await assertRestoredTo(server)
  })

  async function assertRestoredTo(server: Server): Promise<void> {
    const restored = runCommands(restore, server)
    assert.equal(restored.status, 0, restored.stdout + restored.stderr)
    assert.match(restored.stdout, /^ok +roles /m)
    assert.doesNotMatch(restored.stdout, /^FAILED|^INVALID/m)
    assert.match(restored.stdout, /^Verified [1-9]\d* records of 2 companies\.$/m)

    const service = await startTestApp({ APP_SECRET }, await openDatabase(server))
    try {
      for (const { accessToken, company } of [ann, bob]) {
        const api = service.client.with({ token: accessToken, company: company.id })
        assert.equal((await api.get('/companies/users')).body.total, 3)
        assert.equal((await api.get('/auth/me')).status, 200)
      }
      const { body } = await service.client
        .with({ token: ann.accessToken, company: ann.company.id })
        .get('/companies/audit/verify')
      assert.equal(body.data.valid, true)
      const refreshed = await service.client.post('/auth/refresh', { refreshToken: ann.refreshToken })
      assert.equal(refreshed.status, 200)
    } finally {
      await service.close()
    }
  }

  /** Returns the environment of commands. What fails is left out, as pg_restore does without --exit-on-error. */
  function restoreWithoutRoles(server: Server) {
    const databaseUrl = databaseUrlOf({ target: targetOn(server) })
    const args = ['--no-owner', '--role=tenantry', `--dbname=${databaseUrl}`, path.join(folder, 'tenantry.dump')]
    const { stderr } = spawnSync(path.join(BIN_DIR, 'pg_restore'), args, { encoding: 'utf8' })
    assert.match(stderr, /role "tenantry_\w+" does not exist/)
    return { PATH: process.env.PATH, DATABASE_URL: databaseUrl, APP_SECRET, DATA_DIR: folder, PORT: '0' }
  }

  it('restored without the roles stops the start with the command that helps, instead of a service that only fails', async () => {
    const server = await startServer()
    await createOwner(server)
    const env = restoreWithoutRoles(server)
    for (const command of [['src/main.ts'], ['src/cli/main.ts', 'migrate']]) {
      const { status, stderr } = spawnSync(process.execPath, command, { cwd: root, env, encoding: 'utf8' })
      assert.equal(status, 1)
      assert.match(
        stderr,
        /^The roles tenantry_none, .* are missing and tenantry may not create them\. As a superuser/m,
      )
    }
    const doctor = spawnSync(process.execPath, ['src/cli/main.ts', 'doctor'], { cwd: root, env, encoding: 'utf8' })
    assert.equal(doctor.status, 1)
    assert.match(doctor.stdout, /^FAILED +roles +The roles tenantry_none/m)
  })

  it('restored without the roles gets them from the start, where its role may create them', async () => {
    const server = await startServer()
    await createOwner(server, { rights: 'createrole' })
    const env = restoreWithoutRoles(server)
    const run = (...args: string[]) =>
      execFileSync(process.execPath, ['src/cli/main.ts', ...args], { cwd: root, env, encoding: 'utf8', stdio: 'pipe' })
    assert.match(run('doctor'), /^fix +roles +roles are missing/m)
    run('migrate')
    assert.doesNotMatch(run('doctor'), /^(fix|FAILED)/m)
    assert.match(run('audit', 'verify'), /^Verified [1-9]\d* records of 2 companies\.$/m)
  })
})
