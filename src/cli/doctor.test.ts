import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import net, { type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, describe, it } from 'node:test'
import { SMTPServer } from 'smtp-server'
import { commandLineWith, databaseUrlOf } from '../../test/support/command-line.ts'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { confirmFactor } from '../../test/support/factors.ts'
import { keysFrom } from '../lib/keys.ts'

interface Finding {
  check: string
  status: string
  message: string
  details: string[]
}

const APP_SECRET = 'the-secret-of-the-service-and-its-doctor'
const db = await createTestDatabase()
const folder = mkdtempSync(path.join(tmpdir(), 'tenantry-doctor-'))
after(async () => {
  await db.drop()
  rmSync(folder, { recursive: true })
})

const settingsFor = (one: TestDatabase) => ({ APP_SECRET, DATABASE_URL: databaseUrlOf(one), DATA_DIR: folder })

/** What doctor finds wrong, and its exit code. */
async function diagnose(settings: Record<string, string>): Promise<{ exitCode: number; findings: Finding[] }> {
  const { exitCode, json } = await commandLineWith(settings)('doctor', '--json')
  assert.equal(json.healthy, exitCode === 0)
  return { exitCode, findings: json.findings.filter(({ status }: Finding) => status !== 'ok') }
}

/** Everything that a start could change. */
const stateOf = (one: TestDatabase) =>
  one.query(`
    select (select array_agg(format('%s %s', relname, relacl) order by relname) from pg_class
        where relnamespace = 'public'::regnamespace) as tables,
      (select array_agg(format('%s %s', proname, proacl) order by oid) from pg_proc
        where pronamespace = 'public'::regnamespace) as functions,
      (select array_agg(format('%s %s %s', tablename, policyname, qual) order by tablename, policyname)
        from pg_policies) as policies,
      (select datacl::text from pg_database where datname = current_database()) as database`)

/** Answers every command of Redis's protocol with one line. */
function answerCommands(socket: net.Socket): void {
  socket.on('data', (chunk) => socket.write('+PONG\r\n'.repeat(String(chunk).match(/^\*\d+\r$/gm)?.length ?? 0)))
}

describe('tenantry doctor', () => {
  it('finds nothing where a start has corrected everything', async () => {
    await commandLineWith(settingsFor(db))('migrate')
    const { stdout, exitCode } = await commandLineWith(settingsFor(db))('doctor')
    assert.equal(exitCode, 0)
    for (const check of [
      'version',
      'settings',
      'database',
      'server',
      'connect',
      'roles',
      'migrations',
      'rights',
      'secrets',
    ])
      assert.match(stdout, new RegExp(`^ok +${check} +\\S`, 'm'))
    assert.doesNotMatch(stdout, /^(fix|FAILED)/m)
  })

  it('names what a start would correct, and changes nothing', async () => {
    await db.query(`grant connect on database "${(db.target as { database: string }).database}" to public`)
    await db.query('grant select on passwords to tenantry_tenant')
    await db.query('drop policy own_company on branches')
    await db.query('revoke execute on function open_company from tenantry_account')
    const before = await stateOf(db)
    const { exitCode, findings } = await diagnose(settingsFor(db))
    assert.deepEqual(await stateOf(db), before)
    assert.equal(exitCode, 0)
    assert.deepEqual(
      findings.map(({ check, status }) => [check, status]),
      [
        ['connect', 'fix'],
        ['rights', 'fix'],
      ],
    )
    const details = findings[1]?.details ?? []
    assert.equal(details.length, 3)
    for (const part of [
      /^revoke .* passwords from tenantry_tenant/,
      /^create policy own_company on branches/,
      /open_company/,
    ])
      assert.ok(
        details.some((detail) => part.test(detail)),
        String(part),
      )
    await commandLineWith(settingsFor(db))('migrate')
    assert.deepEqual((await diagnose(settingsFor(db))).findings, [])
  })

  it('says that stored secrets need another APP_SECRET', async () => {
    const account = randomUUID()
    await db.query(`insert into accounts (id, email, name) values ($1, 'ann@example.com', 'Ann')`, [account])
    await confirmFactor(db, account)
    const { exitCode, findings } = await diagnose(settingsFor(db))
    assert.deepEqual([exitCode, findings.map(({ check, status }) => [check, status])], [0, [['secrets', 'warning']]])
    assert.match(findings[0]?.message ?? '', /^1 stored secrets/)
    await db.query('delete from accounts')
  })

  it('says that the running nodes have another APP_SECRET, or one of them has', async () => {
    const [own, other] = [APP_SECRET, 'the-secret-of-a-node-that-was-mistyped'].map(
      (secret) => keysFrom(secret).current,
    )
    const run = ({ kid }: { kid: string } = { kid: '' }, host: string) =>
      db.query(
        `with used as (insert into signing_keys (kid) values ($1))
         insert into nodes (id, host, version, signing_kid, accepted_kids) values ($2, $3, '1.0.0', $1, array[$1])`,
        [kid, randomUUID(), host],
      )
    const found = async () => {
      const { exitCode, findings } = await diagnose(settingsFor(db))
      return { exitCode, checks: findings.map(({ check, status }) => [check, status]), message: findings[0]?.message }
    }
    await run(other, 'two')
    const foreign = await found()
    assert.deepEqual([foreign.exitCode, foreign.checks], [1, [['secrets', 'failed']]])
    assert.match(foreign.message ?? '', /^APP_SECRET is not the one of the service: .* with which two signs/)
    await run(own, 'one')
    await db.query(`update signing_keys set first_seen_at = first_seen_at - interval '1 hour' where kid = $1`, [
      own?.kid,
    ])
    const beside = await found()
    assert.deepEqual([beside.exitCode, beside.checks], [1, [['secrets', 'failed']]])
    assert.match(beside.message ?? '', /^two signs with the key /)
    await db.query(`update nodes set stopped_at = now() where host = 'two'`)
    assert.deepEqual((await found()).checks, [])
    await db.query('delete from nodes; delete from signing_keys')
  })

  it('says that migrations are missing, and stops where a start would', async () => {
    const empty = await createTestDatabase({ empty: true })
    try {
      const { exitCode, findings } = await diagnose(settingsFor(empty))
      assert.deepEqual(
        [exitCode, findings.map(({ check, status }) => [check, status])],
        [
          0,
          [
            ['connect', 'fix'],
            ['migrations', 'fix'],
          ],
        ],
      )
      await commandLineWith(settingsFor(empty))('migrate')
      await empty.query(`insert into schema_migrations (name, checksum) values ('9999_future.sql', 'x')`)
      const newer = await diagnose(settingsFor(empty))
      assert.deepEqual([newer.exitCode, newer.findings.at(-1)?.check], [1, 'migrations'])
      assert.match(newer.findings.at(-1)?.message ?? '', /start the newer version/)
    } finally {
      await empty.drop()
    }
  })

  it('names every wrong setting, and needs none of the things that they name', async () => {
    const { exitCode, findings } = await diagnose({ PORT: 'x', NODE_ENV: 'production' })
    assert.equal(exitCode, 1)
    assert.ok(findings.length >= 3)
    for (const { check, status } of findings) assert.deepEqual([check, status], ['settings', 'failed'])
  })

  it('creates neither a secret nor a database, and says that a start would', async () => {
    const dataDir = path.join(folder, 'unused')
    const { exitCode, findings } = await diagnose({ DATA_DIR: dataDir })
    assert.deepEqual(
      [exitCode, findings.map(({ check, status }) => [check, status])],
      [
        0,
        [
          ['settings', 'fix'],
          ['database', 'fix'],
        ],
      ],
    )
    assert.equal(existsSync(dataDir), false)
    assert.deepEqual(readdirSync(folder), [])
  })

  it('reads the secret from its file, and generates none', async () => {
    const file = path.join(folder, 'secret')
    writeFileSync(file, `${APP_SECRET}\n`)
    const { exitCode, findings } = await diagnose({ DATA_DIR: path.join(folder, 'unused'), APP_SECRET_FILE: file })
    assert.deepEqual([exitCode, findings.map(({ check }) => check)], [0, ['database']])
    rmSync(file)
  })

  it('asks Redis and the mail server', async () => {
    const redis = net.createServer(answerCommands).listen(0)
    const smtp = new SMTPServer({ disabledCommands: ['STARTTLS', 'AUTH'] })
    const listening = smtp.listen(0)
    const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port
    try {
      const mail = { SMTP_URL: `smtp://127.0.0.1:${portOf(listening)}` }
      const urls = { REDIS_URL: `redis://127.0.0.1:${portOf(redis)}`, ...mail }
      assert.deepEqual((await diagnose({ ...settingsFor(db), ...urls })).findings, [])
      const dead = { REDIS_URL: 'redis://127.0.0.1:1', SMTP_URL: 'smtp://127.0.0.1:1' }
      const { exitCode, findings } = await diagnose({ ...settingsFor(db), ...dead })
      assert.deepEqual(
        [exitCode, findings.map(({ check, status }) => [check, status])],
        [
          1,
          [
            ['redis', 'failed'],
            ['mail', 'failed'],
          ],
        ],
      )
      for (const { message } of findings) assert.match(message, /ECONNREFUSED/)
    } finally {
      redis.close()
      await new Promise<void>((resolve) => smtp.close(() => resolve()))
    }
  })
})
