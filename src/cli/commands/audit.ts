import { readFileSync } from 'node:fs'
import type { Command } from '@commander-js/extra-typings'
import type { Logger } from 'pino'
import type { Deps } from '../../deps.ts'
import { type OnRead, verifyChain } from '../../features/audit/chain/verify-company.ts'
import { createAuditDeps } from '../../features/audit/deps.ts'
import { verifyExport } from '../../features/audit/export/verify-export.ts'
import type { AuditVerdict } from '../../features/audit/schemas.ts'
import { eraseFromAudit } from '../../features/auth/erase-account.ts'
import { type CompanySummary, findCompanies } from '../../features/companies/find-companies.ts'
import { findWhyForeign } from '../../features/nodes/key-watch.ts'
import { isUuid } from '../../lib/ids.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import { ACCOUNT, getAccount } from '../accounts.ts'
import { EXIT } from '../exit-codes.ts'
import { operatorFor } from '../operator.ts'
import { AS_OPTION, JSON_OPTION, REASON_OPTION } from '../options.ts'
import { type Outcome, plain, present, startProgress } from '../output.ts'
import { withService } from '../with-service.ts'
import { getCompany } from './companies.ts'

const HELP = `
With --export and --keys it verifies an export of one company without the database and without a secret, by the
keys of /.well-known/jwks.json. Otherwise it verifies the sealed records in the database, and seals nothing.`

const ERASE_HELP = `
Names, addresses, and what a change of a member said about the person go, for good; ids, actions and times stay, and the
logs still verify. Repeat it when it was stopped or says that records remain. The account itself, emails, exports and
backups are not touched. --reason is kept for good: name no person in it.`

export function addAuditCommands(program: Command): void {
  const audit = program.command('audit').description('the audit log')
  audit
    .command('verify')
    .description('verify the audit logs of companies, or an export of one, and name the first wrong record')
    .argument('[companies...]', 'their ids or slugs; without any, all companies')
    .option('--export <file>', 'an export in NDJSON')
    .option('--keys <file>', 'the public keys that the export is verified with')
    .option(...JSON_OPTION)
    .addHelpText('after', HELP)
    .action((companies, options) => present(options, verify(companies, options)))
  audit
    .command('erase')
    .description('erase the owner of a disabled account from the audit logs of all companies')
    .argument(...ACCOUNT)
    .option(...REASON_OPTION)
    .option(...AS_OPTION)
    .option(...JSON_OPTION)
    .addHelpText('after', ERASE_HELP)
    .action((account, options) => present(options, erase(account, options)))
}

interface Files {
  export?: string | undefined
  keys?: string | undefined
  json?: true | undefined
}

async function verify(companies: string[], { export: file, keys, json }: Files): Promise<Outcome> {
  if ((file === undefined) !== (keys === undefined) || (file !== undefined && companies.length > 0))
    throw new OperatorError('usage', '--export and --keys belong together, and name no companies.')
  if (file !== undefined && keys !== undefined) return verifyFile(file, keys)
  return withService((deps) => verifyCompanies(deps, companies, json === true))
}

async function verifyFile(file: string, keys: string): Promise<Outcome> {
  try {
    const { valid, text } = await verifyExport(file, JSON.parse(readFileSync(keys, 'utf8')))
    return { text, json: { valid, message: text }, exitCode: valid ? EXIT.done : EXIT.failed }
  } catch (error) {
    throw new OperatorError('usage', `The files can't be read: ${(error as Error).message}`)
  }
}

interface Erasure {
  as?: string | undefined
  reason?: string | undefined
}

async function erase(key: string, { as, reason }: Erasure): Promise<Outcome> {
  return withService(async (deps) => {
    // An account may have been deleted by hand.
    const id = isUuid(key) ? key.toLowerCase() : (await getAccount(deps, key)).id
    await assertOwnSecret(deps)
    const operator = operatorFor('audit erase', as)
    const { parts, companies, remaining } = await eraseFromAudit(createAuditDeps(deps), operator, id, reason)
    const { version1, missed } = remaining
    const text =
      parts > 0
        ? `Erased ${id} from ${parts} places in the logs of ${companies} companies.`
        : 'Nothing was left to erase.'
    const warnings = [
      ...(version1 > 0
        ? [`${version1} records that version 0.2.0 has sealed still name the person, until retention deletes them`]
        : []),
      ...(missed > 0 ? [`${missed} records still name the person: repeat this, and verify the logs if they stay`] : []),
    ]
    const exitCode = missed > 0 ? EXIT.failed : EXIT.done
    return { text, json: { id, parts, companies, remaining }, warnings, exitCode }
  })
}

/** With another secret no record could be sealed, and so none be erased. */
async function assertOwnSecret({ database, keys }: Deps): Promise<void> {
  const reason = await findWhyForeign(database, keys)
  if (reason !== undefined) throw new OperatorError('secret_differs', `${reason}.`)
}

interface Verified {
  id: string
  name: string
  valid: boolean
  records: number
  misdated: number
  firstInvalid: AuditVerdict['firstInvalid']
}

async function verifyCompanies(deps: Deps & { log: Logger }, keys: string[], isQuiet: boolean): Promise<Outcome> {
  const auditDeps = createAuditDeps(deps)
  const progress = isQuiet ? undefined : startProgress('verifying')
  const invalid: Verified[] = []
  const counts = { companies: 0, records: 0 }
  const onRead: OnRead = (done, total) => progress?.update(done, total)
  try {
    for await (const { id, name } of companiesFor(deps, keys)) {
      const { valid, records, misdated, firstInvalid } = await verifyChain(auditDeps, id, onRead)
      counts.companies++
      counts.records += records
      if (!valid) invalid.push({ id, name, valid, records, misdated, firstInvalid })
    }
  } finally {
    progress?.end()
  }
  const found = `${counts.records} records of ${counts.companies} companies`
  const text =
    invalid.length === 0 ? `Verified ${found}.` : [`Looked at ${found}.`, ...invalid.map(sentence)].join('\n')
  const exitCode = invalid.length === 0 ? EXIT.done : EXIT.failed
  const reason = invalid.length > 0 ? await findWhyForeign(deps.database, deps.keys) : undefined
  const warnings = reason === undefined ? [] : [`${reason}, and verify again`]
  return { text, json: { valid: invalid.length === 0, ...counts, invalid }, warnings, exitCode }
}

const sentence = ({ id, name, firstInvalid }: Verified) =>
  `INVALID  ${plain(name)} (${id}): record ${firstInvalid?.seq}, ${firstInvalid?.reason}`

const PAGE = 500

/** The named ones, which have to exist; or all, page by page. */
async function* companiesFor(deps: Deps, keys: string[]): AsyncGenerator<Pick<CompanySummary, 'id' | 'name'>> {
  if (keys.length > 0) {
    yield* await Promise.all(keys.map((key) => getCompany(deps, key)))
    return
  }
  for (let after: string | undefined; ; ) {
    const page = await findCompanies(deps.database, {}, { limit: PAGE, ...(after && { after }) })
    yield* page
    if (page.length < PAGE) return
    after = page.at(-1)?.id
  }
}
