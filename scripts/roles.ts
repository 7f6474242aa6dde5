import pg from 'pg'
import { rolesSql } from '../src/database/roles.ts'
import { readOptions } from './options.ts'

// Prints what a superuser runs once, so that the role of DATABASE_URL needs no right over the roles of the server.

const HELP = `npm run -s roles -- --sql [--user NAME] [--database NAME]

Prints what a superuser of the PostgreSQL server runs once, after the role and the database of the service were made:
the roles that the service acts as, and that only its own role may connect to its database.
--user, --database   those of DATABASE_URL, else tenantry`

const client = new pg.Client(process.env.DATABASE_URL || 'postgres://tenantry@/tenantry')
const { sql, user, database } = readOptions(HELP, {
  options: {
    sql: { type: 'boolean', default: false },
    user: { type: 'string', default: client.user ?? 'tenantry' },
    database: { type: 'string', default: client.database ?? 'tenantry' },
  },
}).values

if (sql) process.stdout.write(rolesSql({ user, database }))
else {
  console.error(HELP)
  process.exitCode = 1
}
