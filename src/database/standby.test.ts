import assert from 'node:assert/strict'
import { chownSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, it } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { testServer } from '../../test/support/database.ts'
import { cleanUp, createFolder, start } from '../../test/support/embedded.ts'
import { assertUnavailable } from '../../test/support/postgres.ts'
import { until } from '../../test/support/until.ts'
import type { Target } from './connection-settings.ts'
import { Database } from './open.ts'
import { asAnyone } from './scopes.ts'

after(cleanUp)

const { binDir } = testServer()

/** A server that was stopped and started again as a standby, which follows no other. */
async function startStandby() {
  const options = { dataDir: createFolder(), ...(binDir && { binDir }) }
  await (await start(options)).stop()
  const folder = path.join(options.dataDir, 'postgres')
  const { uid, gid } = statSync(folder)
  const signal = path.join(folder, 'standby.signal')
  writeFileSync(signal, '')
  chownSync(signal, uid, gid)
  return start(options)
}

it('a standby gets no statement, whatever the address says, until it is promoted', async () => {
  const { connection, superuser } = await startStandby()
  const { host, port, user, database: name } = connection
  const url = `postgres://${user}@/${name}?host=${encodeURIComponent(host)}&port=${port}`
  const targets: Target[] = [
    connection,
    { ...connection, isPooledByTransaction: true },
    { connectionString: url },
    { connectionString: `${url}&target_session_attrs=read-write` },
  ]
  const databases = targets.map((target) => new Database(target))
  const select = sql<{ value: number }>`select 1 as value`
  try {
    for (const database of databases) {
      await assertUnavailable(select.execute(database.autocommit(asAnyone)))
      await assertUnavailable(database.write(asAnyone, (tx) => select.execute(tx)))
    }
    const client = new pg.Client(superuser)
    await client.connect()
    await client.query('select pg_promote()')
    await client.end()
    for (const database of databases) {
      await until(() =>
        select.execute(database.autocommit(asAnyone)).then(
          () => true,
          () => false,
        ),
      )
      const { rows } = await database.write(asAnyone, (tx) => select.execute(tx))
      assert.deepEqual(rows, [{ value: 1 }])
    }
  } finally {
    for (const database of databases) await database.close()
  }
})
