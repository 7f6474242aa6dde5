import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { startEmbedded } from '../src/database/embedded/embedded.ts'
import { LEDGER } from '../src/database/migrate.ts'
import { readMigrations } from '../src/database/migration-files.ts'
import { RIGHTS_FILE, rightsOf } from '../src/database/rights.ts'
import { readOptions } from './options.ts'

// Writes the rights that the migrations give to the roles of the service. Every start compares the database with them.
// With --check it fails when the committed file differs.

const HELP = `npm run rights [-- --check]

Writes src/database/rights.json from the migrations, on a temporary PostgreSQL. With --check it only compares the file,
and exits with 1 when it is out of date.`

const { check } = readOptions(HELP, { options: { check: { type: 'boolean', default: false } } }).values
const text = `${JSON.stringify(await rightsFromMigrations(), null, 2)}\n`
if (!check) writeFileSync(RIGHTS_FILE, text)
else if (!existsSync(RIGHTS_FILE) || readFileSync(RIGHTS_FILE, 'utf8') !== text) {
  console.error(`${path.relative('.', RIGHTS_FILE)} is out of date: npm run rights`)
  process.exitCode = 1
}

async function rightsFromMigrations() {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'tenantry-rights-'))
  const server = await startEmbedded({ dataDir, settings: { fsync: 'off' } })
  const client = new pg.Client(server.connection)
  try {
    await client.connect()
    await client.query(LEDGER)
    for (const { sql } of readMigrations()) await client.query(sql)
    return await rightsOf(client)
  } finally {
    await client.end()
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}
