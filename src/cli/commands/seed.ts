import type { Command } from '@commander-js/extra-typings'
import { readConfig } from '../../config/config.ts'
import { problemFromDatabase } from '../../database/errors.ts'
import { migrate } from '../../database/migrate.ts'
import { createDeps, type Deps } from '../../deps.ts'
import { register } from '../../features/auth/register.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import { Problem } from '../../problems.ts'
import { email, JSON_OPTION, wholeNumber } from '../options.ts'
import { type Outcome, present, startProgress } from '../output.ts'
import { addMembers } from '../seed/members.ts'
import { withDatabase } from '../with-service.ts'

/** Public, because this file is. */
const PUBLISHED_PASSWORD = 'Correct-horse-7'
const MEMBERS_MAX = 99_999_999

const HELP = `
When the account exists already, only members are added, to its first company. It can run beside the service.`

export function addSeedCommand(program: Command): void {
  program
    .command('seed')
    .description('create an account with a company and members, for trials')
    .option('--email <address>', 'email address of the account', email, 'ann@example.com')
    .option('--password <password>', 'its password, required in production', PUBLISHED_PASSWORD)
    .option('--company <name>', 'name of its company', 'Acme')
    .option('--members <number>', 'as many members without a password are added', wholeNumber(0, MEMBERS_MAX), 0)
    .option(...JSON_OPTION)
    .addHelpText('after', HELP)
    .action((options) => present(options, seed(options)))
}

interface Wanted {
  email: string
  password: string
  company: string
  members: number
  json?: true | undefined
}

async function seed(wanted: Wanted): Promise<Outcome> {
  if (readConfig(process.env).production && wanted.password === PUBLISHED_PASSWORD)
    throw new OperatorError(
      'usage',
      'In production the default password can not be used: choose another one with --password.',
    )
  return withDatabase(async ({ target, migrationTarget }, config, log) => {
    await migrate(migrationTarget, log)
    const companyId = await signUp(await createDeps(config, target), wanted)
    const progress = wanted.json ? undefined : startProgress('adding members')
    try {
      await addMembers(migrationTarget, wanted.email, wanted.members, {
        onProgress: (done) => progress?.update(done, wanted.members),
      })
    } finally {
      progress?.end()
    }
    return outcomeOf(wanted, companyId)
  })
}

function outcomeOf({ email, password, company, members }: Wanted, companyId: string | undefined): Outcome {
  const created = companyId
    ? `Created ${email} with password ${password}, owner of ${company} (${companyId}).`
    : `The account ${email} exists already: members are added to its first company.`
  const added = members > 0 ? `\nAdded ${members.toLocaleString('en')} members.` : ''
  return {
    text: created + added,
    json: { email, isNew: companyId !== undefined, companyId: companyId ?? null, members },
  }
}

const CALLER = {
  ip: '127.0.0.1',
  network: '127.0.0.1/32',
  userAgent: 'tenantry seed',
  requestId: 'seed',
  idempotencyKey: undefined,
  elapsedMs: () => 0,
  isDisconnected: () => false,
}

/** Returns the id of the new company. Undefined: the account existed. */
async function signUp(deps: Deps, { email, password, company }: Wanted): Promise<string | undefined> {
  try {
    const newAccount = { email, password, name: 'Ann Example', companyName: company, taxId: '1' }
    const { tenants } = await register(deps, newAccount, CALLER)
    return tenants[0]?.id
  } catch (error) {
    const { code } = error instanceof Problem ? error : (problemFromDatabase(error) ?? {})
    if (code === 'company_name_taken')
      throw new OperatorError(code, `A company named ${company} exists already: choose another name with --company.`)
    if (code !== 'email_taken') throw error
    return undefined
  } finally {
    await deps.database.close()
  }
}
