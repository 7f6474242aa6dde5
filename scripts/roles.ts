import pg from 'pg'
import { rolesSql } from '../src/database/roles.ts'
import { addressesIn } from '../src/lib/database-urls.ts'
import { readOptions } from './options.ts'

// Prints the SQL that a superuser runs once, so that the role of DATABASE_URL needs no right over roles.

const HELP = `npm run -s roles -- --sql [--user NAME] [--database NAME]

Prints SQL for a superuser of the PostgreSQL server, to run once after creating the role and the database of the service.
It creates the roles that the service acts as, and lets only the service's own role connect to its database.

  --sql              print the SQL
  --user NAME        the role of the service (default: the one in DATABASE_URL, else tenantry)
  --database NAME    the database of the service (default: the one in DATABASE_URL, else tenantry)`

const client = new pg.Client(addressesIn(process.env.DATABASE_URL || 'postgres://tenantry@/tenantry')[0])
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
