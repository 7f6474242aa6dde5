import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { pino } from 'pino'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { cleanUp, start as startServer } from '../../test/support/embedded.ts'
import { type Network, startNetwork } from '../../test/support/postgres.ts'
import type { Config } from '../config/config.ts'
import { DatabaseMissingError, locateDatabase } from './locate.ts'

let db: TestDatabase
let network: Network
before(async () => {
  db = await createTestDatabase()
  network = await startNetwork(db)
})
after(async () => {
  await network.close()
  await db.drop()
})

const locate = (databaseUrl: string, migrateDatabaseUrl?: string) =>
  locateDatabase({ databaseUrl, migrateDatabaseUrl } as Config, pino({ level: 'silent' }))
const addressOf = ({ target }: Network) => (target as { connectionString: string }).connectionString
const address = () => addressOf(network)

it('uses the database of DATABASE_URL, and does not stop it', async () => {
  const located = await locate(address())
  assert.deepEqual([located.target, located.embedded], [network.target, undefined])
  await located.stop()
})

it('waits for a server that starts later', async () => {
  await network.cut()
  const locating = locate(address())
  setTimeout(network.listen, 700)
  await locating
})

it('refuses an unusable database with one sentence, without the password', async () => {
  const url = new URL(address())
  url.password = 'very-secret'
  const missing = new URL(url)
  missing.pathname = '/nowhere'
  const uncertain = `${url}?sslrootcert=/nowhere/root.crt`
  for (const [wrong, sentence] of [
    [missing.href, /^DATABASE_URL: database "nowhere" does not exist$/],
    [`${url}?sslmode=verify-full`, /^DATABASE_URL: .*SSL/],
    [uncertain, /^DATABASE_URL: .*root\.crt/],
  ] as const) {
    await assert.rejects(locate(wrong), (error) => {
      assert.ok(error instanceof DatabaseMissingError)
      assert.match(error.message, sentence)
      assert.doesNotMatch(error.message, /very-secret/)
      return true
    })
  }
})

it('accepts another address of the same database for migrations, and no other database', async () => {
  const { migrationTarget } = await locate(address(), `${address()}?application_name=other`)
  assert.deepEqual(migrationTarget, { connectionString: `${address()}?application_name=other` })

  const other = await createTestDatabase()
  const otherDatabase = new URL(address())
  otherDatabase.pathname = (other.target as { database: string }).database
  const server = await startServer({})
  const toServer = await startNetwork({ target: server.connection }, { host: server.connection.host, port: 5432 })
  try {
    for (const [wrong, difference] of [
      [otherDatabase.href, /leads to database "(\w+)", and not to "(?!\1)\w+": it must name the same database/],
      [addressOf(toServer), /leads to database "tenantry" of another server: it must name the same database/],
    ] as const) {
      await assert.rejects(locate(address(), wrong), (error) => {
        assert.ok(error instanceof DatabaseMissingError)
        assert.match(error.message, difference)
        assert.match(error.message, /^MIGRATE_DATABASE_URL .* as DATABASE_URL\.$/)
        return true
      })
    }
  } finally {
    await toServer.close()
    await cleanUp()
    await other.drop()
  }
})
