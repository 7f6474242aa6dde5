import { readConfig } from '../src/config/config.ts'
import { locateDatabase } from '../src/database/locate.ts'
import { migrate } from '../src/database/migrate.ts'
import { exitWith } from '../src/process/exit.ts'
import { createLog } from '../src/process/log.ts'
import { readOptions } from './options.ts'

// Migrates the database without starting the service.
readOptions(
  `npm run migrate

Migrates the database of DATABASE_URL, or the embedded one in DATA_DIR, to the schema, roles and rights of this version.`,
  {},
)
try {
  const config = readConfig(process.env)
  const log = createLog(config.logLevel)
  const located = await locateDatabase(config, log)
  try {
    const ran = await migrate(located.migrationTarget, log)
    console.log(ran.length > 0 ? ran.map((name) => `ran ${name}`).join('\n') : 'The database is up to date.')
  } finally {
    await located.stop()
  }
} catch (error) {
  exitWith(error)
}
