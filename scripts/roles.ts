import { parseArgs } from 'node:util'
import pg from 'pg'
import { rolesSql } from '../src/database/roles.ts'
import { parseOrExit } from './options.ts'

// Prints what a superuser runs once, so that the role of DATABASE_URL needs no right over the roles of the server.

const HELP = `npm run -s roles -- --sql [--user NAME] [--database NAME]

Prints what a superuser of the PostgreSQL server runs once, after the role and the database of the service were made:
the roles that the service acts as, and that only its own role may connect to its database.
--user, --database   those of DATABASE_URL, else tenantry`

const { sql, user, database } = parseOrExit(HELP, () => {
  const { user = 'tenantry', database = 'tenantry' } = new pg.Client(process.env.DATABASE_URL)
  const options = {
    sql: { type: 'boolean', default: false },
    user: { type: 'string', default: process.env.DATABASE_URL ? user : 'tenantry' },
    database: { type: 'string', default: process.env.DATABASE_URL ? database : 'tenantry' },
    help: { type: 'boolean', default: false },
  } as const
  return parseArgs({ options }).values
})

if (sql) process.stdout.write(rolesSql({ user, database }))
else {
  console.error(HELP)
  process.exitCode = 1
}
