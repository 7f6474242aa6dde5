import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { pino } from 'pino'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import { assertUnavailable, count, type Network, reads, startNetwork } from '../../test/support/postgres.ts'
import type { Config } from '../config/config.ts'
import { DatabaseMissingError, locateDatabase } from './locate.ts'
import { Database } from './open.ts'
import { asAnyone } from './scopes.ts'

let db: TestDatabase
let networks: [Network, Network]
before(async () => {
  db = await createTestDatabase()
  networks = [await startNetwork(db), await startNetwork(db)]
})
after(async () => {
  for (const network of networks) await network.close()
  await db.drop()
})

const nameOfDatabase = () => (db.target as { database: string }).database
const hostOf = ({ target }: Network) => new URL((target as { connectionString: string }).connectionString).host
const bothHosts = () => `postgres://tenantry@${networks.map(hostOf).join(',')}/${nameOfDatabase()}`
const write = (database: Database) => database.write(asAnyone, (tx) => count(tx, 'several hosts'))

it('several hosts are as good as the one that can be reached', async () => {
  const database = new Database({ connectionString: bothHosts() })
  try {
    for (const gone of networks) {
      await gone.cut()
      await Promise.allSettled([reads(database), write(database)])
      await Promise.all([reads(database), write(database)]).finally(gone.listen)
    }
  } finally {
    await database.close()
  }
})

it('a host that hangs does not delay the choice of the other', async () => {
  networks[0].silence()
  const database = new Database({ connectionString: bothHosts() })
  try {
    await Promise.all([reads(database), write(database)])
  } finally {
    networks[0].resume()
    await database.close()
  }
})

it('hosts that take no writes are unavailable, also for reads, until one does', async () => {
  const makeReadOnly = (value: string) =>
    db.query(`alter database ${nameOfDatabase()} set default_transaction_read_only = ${value}`)
  const database = new Database({ connectionString: bothHosts() })
  try {
    await makeReadOnly('on')
    await assertUnavailable(reads(database))
    await assertUnavailable(write(database))
    await makeReadOnly('off')
    await Promise.all([reads(database), write(database)])
  } finally {
    await database.close()
  }
})

it('a start with several hosts that are wrong tells why for each', async () => {
  const config = { databaseUrl: bothHosts().replace(/\/[^/]*$/, '/nowhere') } as Config
  await assert.rejects(locateDatabase(config, pino({ level: 'silent' })), (error) => {
    assert.ok(error instanceof DatabaseMissingError)
    assert.match(error.message, /^DATABASE_URL: no host takes writes \((database "nowhere" does not exist(; )?){2}\)$/)
    return true
  })
})
