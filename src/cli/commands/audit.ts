import { readFileSync } from 'node:fs'
import type { Command } from '@commander-js/extra-typings'
import type { Logger } from 'pino'
import type { Deps } from '../../deps.ts'
import { type OnRead, verifyChain } from '../../features/audit/chain/verify-company.ts'
import { createAuditDeps } from '../../features/audit/deps.ts'
import { verifyExport } from '../../features/audit/export/verify-export.ts'
import type { AuditVerdict } from '../../features/audit/schemas.ts'
import { type CompanySummary, findCompanies } from '../../features/companies/find-companies.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import { EXIT } from '../exit-codes.ts'
import { JSON_OPTION } from '../options.ts'
import { type Outcome, plain, present, startProgress } from '../output.ts'
import { withService } from '../with-service.ts'
import { getCompany } from './companies.ts'

const HELP = `
With --export and --keys it verifies an export of one company without the database and without a secret, by the
keys of /.well-known/jwks.json. Otherwise it verifies the sealed records in the database, and seals nothing.`

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
  return { text, json: { valid: invalid.length === 0, ...counts, invalid }, exitCode }
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
