import { type Config, readConfig } from '../src/config/config.ts'
import { problemFromDatabase } from '../src/database/errors.ts'
import { locateDatabase } from '../src/database/locate.ts'
import { migrate } from '../src/database/migrate.ts'
import { Database } from '../src/database/open.ts'
import { register } from '../src/features/auth/register.ts'
import { createHashing } from '../src/lib/hashing.ts'
import { keysFrom } from '../src/lib/keys.ts'
import { Problem } from '../src/problems.ts'
import { exitWith } from '../src/process/exit.ts'
import { createLog } from '../src/process/log.ts'
import { readOptions } from './options.ts'
import { fillCompany, SeedError } from './seed/members.ts'

// Signs a first person up, with a company, for trying things out; with --members N that many people join it, who have no
// password. Works beside a running service.

const HELP = `npm run seed -- [--email ADDRESS] [--password PASSWORD] [--company NAME] [--members NUMBER]

Signs a first person up, with a company; with --members that many people without a password join their first company.
--email      ann@example.com
--password   Correct-horse-7, but in production a password of your own
--company    Acme
--members    0`

/** Everybody can read it here. */
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
    throw new SeedError('In production the password must not be the published one: choose another by --password.')
  const log = createLog(config.logLevel)
  const located = await locateDatabase(config, log)
  try {
    await migrate(located.target, log)
    await signUp(config, new Database(located.target))
    await fillCompany(located.target, values.email, Number(values.members))
  } finally {
    await located.stop()
  }
} catch (error) {
  if (!(error instanceof SeedError)) exitWith(error)
  console.error((error as Error).message)
  process.exitCode = 1
}

async function signUp(config: Config, database: Database): Promise<void> {
  const { email, password, company } = values
  const service = { config, database, keys: keysFrom(config.appSecret), hashing: await createHashing() }
  const caller = {
    ip: '127.0.0.1',
    network: '127.0.0.1/32',
    userAgent: 'seed',
    requestId: 'seed',
    idempotencyKey: undefined,
  }
  try {
    const wanted = { email, password, name: 'Ann Example', companyName: company, taxId: '1' }
    const { tenants } = await register(service, wanted, { ...caller, elapsedMs: () => 0, isGone: () => false })
    console.log(`Sign in as ${email} with ${password}; Owner of ${company} (${tenants[0]?.id}).`)
  } catch (error) {
    const { code } = error instanceof Problem ? error : (problemFromDatabase(error) ?? {})
    if (code === 'company_name_taken')
      throw new SeedError(`Another company is called ${company}: choose another name by --company.`)
    if (code !== 'email_taken') throw error
    console.log(`${email} has signed up already: filling their first company.`)
  } finally {
    await database.close()
  }
}
