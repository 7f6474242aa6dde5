import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, describe, it } from 'node:test'
import {
  cleanUp,
  folder,
  installations,
  isAlive,
  kill,
  lockOf,
  prepared,
  query,
  refuses,
  removeModel,
  serverOf,
  service,
  start,
  stranger,
} from '../../../test/support/embedded.ts'
import { until } from '../../../test/support/until.ts'

afterEach(cleanUp)
after(removeModel)

for (const programs of installations) {
  describe(`a PostgreSQL of our own, from ${programs ?? 'where the launcher finds it'}`, () => {
    it('answers, speaks UTF-8 beyond ASCII, and gives the service plain rights', async () => {
      const embedded = await start({ dataDir: folder(), programs })

      assert.match(embedded.version, /^\d+\.\d+$/)
      assert.equal(embedded.owner, true)
      assert.deepEqual(
        await query(
          embedded,
          `select lower('ÁÉ') as lower, current_setting('server_encoding') as encoding, rolsuper, rolcreaterole,
            pg_get_userbyid(datdba) as owner from pg_roles, pg_database where rolname = user and datname = current_database()`,
        ),
        { lower: 'áé', encoding: 'UTF8', rolsuper: false, rolcreaterole: false, owner: 'tenantry' },
      )
    })

    it('keeps its data over a stop, and starts again after a server and its owner were killed together', async () => {
      const dataDir = folder()
      const first = await start({ dataDir, programs })
      await query(first, 'create table kept as select 42 as number')
      await first.stop()
      assert.equal(existsSync(lockOf(dataDir)), false)

      const { child } = await service(dataDir, programs)
      process.kill(serverOf(dataDir), 'SIGKILL')
      await kill(child)
      assert.equal(existsSync(lockOf(dataDir)), true)

      assert.deepEqual(await query(await start({ dataDir, programs }), 'select number from kept'), { number: 42 })
    })

    it('starts below a folder that only its owner may enter, however long the path, as a user who is not root', async () => {
      const dataDir = join(folder(), 'private', 'x'.repeat(200), 'data')
      mkdirSync(dataDir, { recursive: true })
      chmodSync(join(dataDir, '..', '..'), 0o700)

      const embedded = await start({ dataDir, programs })

      const me = process.getuid?.()
      const runsAs = statSync(lockOf(dataDir)).uid
      if (me === 0) assert.notEqual(runsAs, 0)
      else assert.equal(runsAs, me)
      assert.deepEqual(await query(embedded, 'select 1 as one'), { one: 1 })
    })
  })
}

describe('several processes on one folder', () => {
  it('make one cluster with one owner, however many start at once', async () => {
    const dataDir = folder()

    const services = await Promise.all([service(dataDir), service(dataDir), service(dataDir)])

    assert.deepEqual(services.map(({ role }) => role).sort(), ['guest', 'guest', 'owner'])
    assert.deepEqual(
      readdirSync(dataDir).filter((name) => name !== 'postgres.log'),
      ['postgres'],
    )
  })

  it('lets a guest come and go without touching the server', async () => {
    const dataDir = await prepared()
    const owner = await start({ dataDir })
    const guest = await start({ dataDir })
    assert.equal(guest.owner, false)
    assert.equal(guest.version, owner.version)
    await guest.stop()

    assert.deepEqual(await query(owner, 'select 1 as one'), { one: 1 })
  })
})

describe('the server', () => {
  it('ends by itself when its owner is killed, and the next start need not wait for that', async () => {
    const dataDir = await prepared()
    const first = await service(dataDir)
    const server = serverOf(dataDir)
    await kill(first.child)
    await until(() => !isAlive(server))

    const second = await service(dataDir)
    await kill(second.child)
    assert.equal((await start({ dataDir })).owner, true)
  })

  it('is started again when it is killed, with the reason told, until stop is called', async () => {
    const dataDir = await prepared()
    const reasons: string[] = []
    const embedded = await start({ dataDir, onRestart: (reason) => reasons.push(reason) })
    const killedServer = serverOf(dataDir)
    process.kill(killedServer, 'SIGKILL')

    await until(() => reasons.length > 0)
    await until(() => query(embedded, 'select 1').then(Boolean, () => false))
    assert.notEqual(serverOf(dataDir), killedServer)
    assert.deepEqual(reasons, ['PostgreSQL ended with SIGKILL'])
    assert.equal(embedded.owner, true)

    process.kill(serverOf(dataDir), 'SIGKILL')
    await embedded.stop()
    assert.equal(reasons.length, 1)
  })

  it('starts although its lock files name a process that is something else by now', async () => {
    const dataDir = await prepared()
    const first = await start({ dataDir })
    const { uid, gid } = statSync(join(dataDir, 'postgres'))
    await first.stop()
    const pid = stranger(uid, gid)
    for (const name of ['postmaster.pid', '.s.PGSQL.5432.lock']) {
      writeFileSync(join(dataDir, 'postgres', name), `${pid}\n`)
    }

    assert.equal((await start({ dataDir })).owner, true)
  })
})

describe('a start that can not succeed is refused in one sentence', () => {
  it('when the folder was made by another major version', async () => {
    const dataDir = await prepared()
    writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '14\n')

    await refuses(
      { dataDir },
      /was made by PostgreSQL 14 and can't be opened by \d+: run it with PostgreSQL 14, or move/,
    )
  })

  it('when something else lies where the data belong', async () => {
    const dataDir = folder()
    mkdirSync(join(dataDir, 'postgres', 'photos'), { recursive: true })

    await refuses({ dataDir }, /is in the way and holds no PostgreSQL data: move it away/)
  })

  it('when the programs are not there', async () => {
    await refuses({ dataDir: folder(), programs: '/nowhere' }, /No PostgreSQL 15 or later can be run here .*nowhere/)
  })

  it('when the server does not like its settings, with its own words and the place of its log', async () => {
    const dataDir = await prepared()

    await refuses({ dataDir, settings: { no_such_setting: '1' } }, /"no_such_setting"; .* in .*postgres\.log$/)
    assert.equal((await start({ dataDir })).owner, true)
  })

  it('when the folder is a file', async () => {
    const dataDir = join(folder(), 'file')
    writeFileSync(dataDir, '')

    await refuses({ dataDir }, /can't start in .*file .*: see that the folder can be written/)
  })
})
