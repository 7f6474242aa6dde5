import { type Command, Option } from '@commander-js/extra-typings'
import type { Deps } from '../../deps.ts'
import { type CompanySummary, findCompanies, findCompany } from '../../features/companies/find-companies.ts'
import { resetPolicy } from '../../features/companies/policy/reset-policy.ts'
import { restoreDeletedCompany, resumeCompany, suspendCompany } from '../../features/companies/suspend-company.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import { singleLineText } from '../../lib/text.ts'
import { Uuid } from '../../lib/uuids.ts'
import { operatorFor } from '../operator.ts'
import { AS_OPTION, JSON_OPTION, NO_EMAIL_OPTION, parsedBy, REASON_OPTION, wholeNumber } from '../options.ts'
import { type Outcome, present, table } from '../output.ts'
import { withService } from '../with-service.ts'

const COMPANY = ['<company>', 'its id or slug'] as const
const LIMIT_MAX = 1000

interface Acting {
  as?: string | undefined
  reason?: string | undefined
}

export function addCompanyCommands(program: Command): void {
  const company = program.command('company').description('companies: list, suspend, resume and restore them')
  company
    .command('list')
    .description('list companies in the order in which they were created')
    .addOption(new Option('--status <status>', 'only these').choices(['active', 'suspended', 'deleted'] as const))
    .option('--search <text>', 'only those whose name contains this', parsedBy(singleLineText(120)))
    .option('--limit <number>', `how many, at most ${LIMIT_MAX}`, wholeNumber(1, LIMIT_MAX), 50)
    .option('--after <id>', 'only those after this company, to continue a list', parsedBy(Uuid))
    .option(...JSON_OPTION)
    .action((options) => present(options, list(options)))
  company
    .command('suspend')
    .description('refuse every request of its people, except leaving it')
    .argument(...COMPANY)
    .option(...REASON_OPTION)
    .option(...NO_EMAIL_OPTION)
    .option(...AS_OPTION)
    .option(...JSON_OPTION)
    .action((key, options) => present(options, suspend(key, options)))
  addReturns(company)
  const policy = company.command('policy').description('what sessions need to be let into a company')
  policy
    .command('reset')
    .description('let every session of its members in again, when its owners have shut themselves out')
    .argument(...COMPANY)
    .option(...REASON_OPTION)
    .option(...AS_OPTION)
    .option(...JSON_OPTION)
    .action((key, options) => present(options, clearPolicy(key, options)))
}

function addReturns(company: Command): void {
  company
    .command('resume')
    .description('end the suspension of a company')
    .argument(...COMPANY)
    .option(...REASON_OPTION)
    .option(...NO_EMAIL_OPTION)
    .option(...AS_OPTION)
    .option(...JSON_OPTION)
    .action((key, options) => present(options, resume(key, options)))
  company
    .command('restore')
    .description('restore a deleted company, until its purge starts 30 days later')
    .argument(...COMPANY)
    .option(...REASON_OPTION)
    .option(...AS_OPTION)
    .option(...JSON_OPTION)
    .action((key, options) => present(options, restore(key, options)))
}

interface Listing {
  status?: CompanySummary['status'] | undefined
  search?: string | undefined
  limit: number
  after?: string | undefined
}

async function list({ status, search, limit, after }: Listing): Promise<Outcome> {
  return withService(async ({ database }) => {
    const companies = await findCompanies(database, { status, search }, { limit, ...(after && { after }) })
    const rows = companies.map(({ id, name, slug, status, members, createdAt }) => [
      id,
      name,
      slug,
      status,
      members,
      createdAt,
    ])
    const next = companies.length === limit ? (companies.at(-1)?.id ?? null) : null
    const more = next === null ? '' : `\n\nThere may be more: --after ${next}`
    const titles = ['company', 'name', 'slug', 'status', 'members', 'created']
    return { text: table(titles, rows, 'There are no such companies.') + more, json: { companies, next } }
  })
}

export async function getCompany({ database }: Pick<Deps, 'database'>, key: string): Promise<CompanySummary> {
  const company = await findCompany(database, key)
  if (!company) throw new OperatorError('company_not_found', `No company has the id or slug ${key}.`)
  return company
}

async function suspend(key: string, { as, reason, email }: Acting & { email: boolean }): Promise<Outcome> {
  return withService(async (deps) => {
    const { id } = await getCompany(deps, key)
    const isChanged = await suspendCompany(deps, operatorFor('company suspend', as), id, { reason, notifies: email })
    return changed(deps, id, isChanged, isChanged ? 'Suspended' : 'Already suspended:')
  })
}

async function resume(key: string, { as, reason, email }: Acting & { email: boolean }): Promise<Outcome> {
  return withService(async (deps) => {
    const { id } = await getCompany(deps, key)
    const isChanged = await resumeCompany(deps, operatorFor('company resume', as), id, { reason, notifies: email })
    return changed(deps, id, isChanged, isChanged ? 'Resumed' : 'Not suspended:')
  })
}

async function restore(key: string, { as, reason }: Acting): Promise<Outcome> {
  return withService(async (deps) => {
    const { id } = await getCompany(deps, key)
    const isChanged = await restoreDeletedCompany(deps, operatorFor('company restore', as), id, reason)
    return changed(deps, id, isChanged, isChanged ? 'Restored' : 'Not deleted:')
  })
}

async function clearPolicy(key: string, { as, reason }: Acting): Promise<Outcome> {
  return withService(async (deps) => {
    const { id } = await getCompany(deps, key)
    const isChanged = await resetPolicy(deps, operatorFor('company policy reset', as), id, reason)
    return changed(deps, id, isChanged, isChanged ? 'Reset the policy of' : 'Without a policy:')
  })
}

/** What was done, and the state that the company is in now, which may have another reason. */
async function changed(deps: Deps, id: string, isChanged: boolean, verb: string): Promise<Outcome> {
  const { name, slug, status } = await getCompany(deps, id)
  return { text: `${verb} ${name} (${id}). Its status is ${status}.`, json: { id, name, slug, status, isChanged } }
}
