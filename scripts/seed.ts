import { readConfig } from '../src/config/config.ts'
import { problemFromDatabase } from '../src/database/errors.ts'
import { locateDatabase } from '../src/database/locate.ts'
import { migrate } from '../src/database/migrate.ts'
import { createDeps, type Deps } from '../src/deps.ts'
import { register } from '../src/features/auth/register.ts'
import { Problem } from '../src/problems.ts'
import { exitWith } from '../src/process/exit.ts'
import { createLog } from '../src/process/log.ts'
import { readOptions } from './options.ts'
import { addMembers, SeedError } from './seed/members.ts'

// Creates an account with a company, for trials. With --members it adds that many members, who have no password. It can
// run while the service runs.

const HELP = `npm run seed -- [--email ADDRESS] [--password PASSWORD] [--company NAME] [--members NUMBER]

Creates an account with a company. When the account exists already, only members are added, to its first company.

  --email ADDRESS       email address of the account (default: ann@example.com)
  --password PASSWORD   its password (default: Correct-horse-7; required in production)
  --company NAME        name of its company (default: Acme)
  --members NUMBER      as many members without a password are added (default: 0)`

/** Public, because this file is. */
const PUBLISHED_PASSWORD = 'Correct-horse-7'

const { values } = readOptions(
  HELP,
  {
    options: {
      email: { type: 'string', default: 'ann@example.com' },
      password: { type: 'string', default: PUBLISHED_PASSWORD },
      company: { type: 'string', default: 'Acme' },
      members: { type: 'string', default: '0' },
    },
  },
  {
    check({ values }) {
      if (!/^\d{1,8}$/.test(values.members)) throw new Error('--members is not a whole number')
    },
  },
)

try {
  const config = readConfig(process.env)
  if (config.production && values.password === PUBLISHED_PASSWORD)
    throw new SeedError('In production the default password can not be used: choose another one with --password.')
  const log = createLog(config.logLevel)
  const located = await locateDatabase(config, log)
  try {
    await migrate(located.migrationTarget, log)
    await signUp(await createDeps(config, located.target))
    await addMembers(located.migrationTarget, values.email, Number(values.members))
  } finally {
    await located.stop()
  }
} catch (error) {
  if (!(error instanceof SeedError)) exitWith(error)
  console.error((error as Error).message)
  process.exitCode = 1
}

async function signUp(deps: Deps): Promise<void> {
  const { email, password, company } = values
  const caller = {
    ip: '127.0.0.1',
    network: '127.0.0.1/32',
    userAgent: 'seed',
    requestId: 'seed',
    idempotencyKey: undefined,
  }
  try {
    const newAccount = { email, password, name: 'Ann Example', companyName: company, taxId: '1' }
    const { tenants } = await register(deps, newAccount, { ...caller, elapsedMs: () => 0, isDisconnected: () => false })
    console.log(`Created ${email} with password ${password}, owner of ${company} (${tenants[0]?.id}).`)
  } catch (error) {
    const { code } = error instanceof Problem ? error : (problemFromDatabase(error) ?? {})
    if (code === 'company_name_taken')
      throw new SeedError(`A company named ${company} exists already: choose another name with --company.`)
    if (code !== 'email_taken') throw error
    console.log(`The account ${email} exists already: members are added to its first company.`)
  } finally {
    await deps.database.close()
  }
}
