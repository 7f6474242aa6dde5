import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, describe, it } from 'node:test'
import pg from 'pg'
import {
  assertRefused,
  cleanUp,
  createFolder,
  createPreparedFolder,
  installations,
  isAlive,
  kill,
  lockFileOf,
  processGroup,
  queryRow,
  removePreparedFolder,
  serverPid,
  start,
  startInProcess,
  startOtherProgram,
} from '../../../test/support/embedded.ts'
import { until } from '../../../test/support/until.ts'

afterEach(cleanUp)
after(removePreparedFolder)

for (const installation of installations) {
  describe(`the embedded PostgreSQL of ${installation.binDir ?? 'the npm package'}`, () => {
    it('answers, speaks UTF-8 beyond ASCII, and gives the service plain rights', async () => {
      const embedded = await start({ dataDir: createFolder(), ...installation })

      assert.match(embedded.version, /^\d+\.\d+$/)
      assert.equal(embedded.owner, true)
      assert.deepEqual(
        await queryRow(
          embedded,
          `select lower('ÁÉ') as lower, current_setting('server_encoding') as encoding, rolsuper, rolcreaterole,
            pg_get_userbyid(datdba) as owner from pg_roles, pg_database where rolname = user and datname = current_database()`,
        ),
        { lower: 'áé', encoding: 'UTF8', rolsuper: false, rolcreaterole: false, owner: 'tenantry' },
      )
    })

    it('keeps its data over a stop, and starts after the server and its owner were killed together', async () => {
      const dataDir = createFolder()
      const first = await start({ dataDir, ...installation })
      await queryRow(first, 'create table saved as select 42 as number')
      await first.stop()
      assert.equal(existsSync(lockFileOf(dataDir)), false)

      const { child } = await startInProcess({ dataDir, ...installation })
      process.kill(serverPid(dataDir), 'SIGKILL')
      await kill(child)
      assert.equal(existsSync(lockFileOf(dataDir)), true)

      assert.deepEqual(await queryRow(await start({ dataDir, ...installation }), 'select number from saved'), {
        number: 42,
      })
    })

    it('starts below a folder that only its owner can enter, with a path of any length, and not as root', async () => {
      const dataDir = join(createFolder(), 'private', 'x'.repeat(200), 'data')
      mkdirSync(dataDir, { recursive: true })
      chmodSync(join(dataDir, '..', '..'), 0o700)

      const embedded = await start({ dataDir, ...installation })

      const me = process.getuid?.()
      const runsAs = statSync(lockFileOf(dataDir)).uid
      if (me === 0) assert.notEqual(runsAs, 0)
      else assert.equal(runsAs, me)
      assert.deepEqual(await queryRow(embedded, 'select 1 as one'), { one: 1 })
    })
  })
}

describe('several processes on one data folder', () => {
  it('make one cluster with one owner when they start at the same time', async () => {
    const dataDir = createFolder()

    const processes = await Promise.all([
      startInProcess({ dataDir }),
      startInProcess({ dataDir }),
      startInProcess({ dataDir }),
    ])

    assert.deepEqual(processes.map(({ role }) => role).sort(), ['guest', 'guest', 'owner'])
    assert.deepEqual(
      readdirSync(dataDir).filter((name) => name !== 'postgres.log'),
      ['postgres'],
    )
  })

  it('leave the server running when one that does not own it stops', async () => {
    const dataDir = await createPreparedFolder()
    const owner = await start({ dataDir })
    const guest = await start({ dataDir })
    assert.equal(guest.owner, false)
    assert.equal(guest.version, owner.version)
    await guest.stop()

    assert.deepEqual(await queryRow(owner, 'select 1 as one'), { one: 1 })
  })
})

describe('the server of the embedded PostgreSQL', () => {
  it('ends when its owner is killed, and a start at that moment does not use it', async () => {
    const dataDir = await createPreparedFolder()
    const first = await startInProcess({ dataDir })
    const server = serverPid(dataDir)
    await kill(first.child)
    await until(() => !isAlive(server))

    const second = await startInProcess({ dataDir })
    await kill(second.child)
    assert.equal((await start({ dataDir })).owner, true)
  })

  it('is restarted when it is killed, with the reason reported, until stop is called', async () => {
    const dataDir = await createPreparedFolder()
    const reasons: string[] = []
    const embedded = await start({ dataDir, onRestart: (reason) => reasons.push(reason) })
    const killedServer = serverPid(dataDir)
    process.kill(killedServer, 'SIGKILL')

    await until(() => reasons.length > 0)
    await until(() => queryRow(embedded, 'select 1').then(Boolean, () => false))
    assert.notEqual(serverPid(dataDir), killedServer)
    assert.deepEqual(reasons, ['PostgreSQL ended with SIGKILL'])
    assert.equal(embedded.owner, true)

    process.kill(serverPid(dataDir), 'SIGKILL')
    await embedded.stop()
    assert.equal(reasons.length, 1)
  })

  it('ends with its owner though all its processes were told to end while a client held a connection', async () => {
    const dataDir = await createPreparedFolder()
    const embedded = await start({ dataDir })
    const server = serverPid(dataDir)
    const client = new pg.Client(embedded.connection)
    client.on('error', () => {})
    await client.connect()
    process.kill(-processGroup(server), 'SIGTERM') // As a service manager does, or a kill by name.
    await embedded.stop()

    await until(() => !isAlive(server))
    await assert.rejects(client.query('select 1'))
  })

  it('starts when its lock files hold the process id of another program', async () => {
    const dataDir = await createPreparedFolder()
    const first = await start({ dataDir })
    const { uid, gid } = statSync(join(dataDir, 'postgres'))
    await first.stop()
    const pid = startOtherProgram(uid, gid)
    for (const name of ['postmaster.pid', '.s.PGSQL.5432.lock']) {
      writeFileSync(join(dataDir, 'postgres', name), `${pid}\n`)
    }

    assert.equal((await start({ dataDir })).owner, true)
  })
})

describe('a start that can not succeed is refused with one sentence', () => {
  it('when the folder was made by another major version', async () => {
    const dataDir = await createPreparedFolder()
    writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '14\n')

    await assertRefused(
      { dataDir },
      /was made by PostgreSQL 14 and can't be opened by PostgreSQL \d+: run it with PostgreSQL 14, or move/,
    )
  })

  it('when the data folder holds other files', async () => {
    const dataDir = createFolder()
    mkdirSync(join(dataDir, 'postgres', 'photos'), { recursive: true })

    await assertRefused({ dataDir }, /is not empty and holds no PostgreSQL data: move it away/)
  })

  it('when the binaries are missing', async () => {
    await assertRefused(
      { dataDir: createFolder(), binDir: '/nowhere' },
      /No PostgreSQL 15 or later can be run here .*nowhere/,
    )
  })

  it('when the server refuses its settings: with the message of the server and the path of its log', async () => {
    const dataDir = await createPreparedFolder()

    await assertRefused({ dataDir, settings: { no_such_setting: '1' } }, /"no_such_setting"; .* in .*postgres\.log$/)
    assert.equal((await start({ dataDir })).owner, true)
  })

  it('when the disk is full: with what the program could not write', () => {
    const program = `
      import { startEmbedded } from ${JSON.stringify(import.meta.resolve('./embedded.ts'))}
      await startEmbedded({ dataDir: ${JSON.stringify(createFolder())} }).catch(({ message }) => console.log(message))`
    const args = ['-c', 'ulimit -f 4000; exec "$0" --input-type=module -e "$1"', process.execPath, program]
    const { stdout } = spawnSync('/bin/bash', args, { encoding: 'utf8' })
    assert.match(stdout, /could not create a database cluster in .*: (FATAL|error): .*(File too large|No space left)/)
  })

  it('when the folder is a file', async () => {
    const dataDir = join(createFolder(), 'file')
    writeFileSync(dataDir, '')

    await assertRefused({ dataDir }, /can't start in .*file .*: check that the folder is writable/)
  })
})
