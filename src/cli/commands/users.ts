import type { Command } from '@commander-js/extra-typings'
import { Locale } from '../../features/accounts/schemas.ts'
import { disableAccount, enableAccount } from '../../features/auth/disable-account.ts'
import {
  type AccountDetails,
  createAccount,
  type FormerAddress,
  removePasswords,
} from '../../features/auth/operated-accounts.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import { singleLineText } from '../../lib/text.ts'
import { ACCOUNT, getAccount } from '../accounts.ts'
import { operatorFor } from '../operator.ts'
import { AS_OPTION, email, JSON_OPTION, NO_EMAIL_OPTION, parsedBy, personName, REASON_OPTION } from '../options.ts'
import { fields, type Outcome, present, table } from '../output.ts'
import { withService } from '../with-service.ts'
import { addFactorCommand } from './user-factors.ts'

const LINK_SENT = 'A link to choose a password is on its way, valid for 15 minutes.'

/** Of an account that keeps second factors for now. `resetDueAt`: when an announced removal of them takes effect. */
const warningOfFactors = (resetDueAt: string | null) =>
  resetDueAt === null
    ? 'its second factors stay, and a passkey signs in without a password: see user reset-factor'
    : `its second factors are removed after ${resetDueAt}, as announced before; user reset-factor --cancel keeps them`

/** Who asks may be the reader of such an address, and who changed it an intruder. */
const warningsOfAddresses = (address: string, former: readonly FormerAddress[]) =>
  former.map(
    ({ email, until }) =>
      `its address was ${email} before, whose reader can restore it until ${until}; what is emailed now goes to ${address}`,
  )

/** What all commands that act on an account have in common. */
interface Acting {
  as?: string | undefined
  reason?: string | undefined
}

export function addUserCommands(program: Command): void {
  const user = program.command('user').description('accounts: find, create, disable, enable and reset them')
  user
    .command('find')
    .description('show an account, its sessions and its companies')
    .argument(...ACCOUNT)
    .option(...JSON_OPTION)
    .action((account, options) =>
      present(
        options,
        withService(async (deps) => shown(await getAccount(deps, account))),
      ),
    )
  user
    .command('create')
    .description('create an account without a password, and email a link to choose one')
    .requiredOption('--email <address>', 'its email address', email)
    .requiredOption('--name <name>', 'the name of its owner', personName)
    .option('--locale <tag>', 'the language of emails to it, such as pt-BR', parsedBy(Locale))
    .option('--company <name>', 'also create this company, which the account owns', parsedBy(singleLineText(120)))
    .option('--tax-id <id>', 'the tax id of the company', parsedBy(singleLineText(50)))
    .option(...AS_OPTION)
    .option(...JSON_OPTION)
    .action((options) => present(options, create(options)))
  addActions(user)
  addFactorCommand(user)
}

function addActions(user: Command): void {
  user
    .command('disable')
    .description('end all sessions and links of an account, and let it sign in no more')
    .argument(...ACCOUNT)
    .option(...REASON_OPTION)
    .option(...NO_EMAIL_OPTION)
    .option(...AS_OPTION)
    .option(...JSON_OPTION)
    .action((account, options) => present(options, disable(account, options)))
  user
    .command('enable')
    .description('let a disabled account sign in again, with the password that it had')
    .argument(...ACCOUNT)
    .option(...REASON_OPTION)
    .option(...NO_EMAIL_OPTION)
    .option(...AS_OPTION)
    .option(...JSON_OPTION)
    .action((account, options) => present(options, enable(account, options)))
  user
    .command('reset')
    .description('remove the password of an account, end its sessions, and email a link to choose a new password')
    .argument(...ACCOUNT)
    .option(...REASON_OPTION)
    .option(...AS_OPTION)
    .option(...JSON_OPTION)
    .action((account, options) => present(options, reset(account, options)))
}

function shown(account: AccountDetails): Outcome {
  const { companies, ...own } = account
  const rows = companies.map(({ id, name, status, membership, roles }) => [
    id,
    name,
    status,
    membership,
    roles.join(', '),
  ])
  const list = table(['company', 'name', 'status', 'membership', 'roles'], rows, 'It is a member of no company.')
  const { emailVerified, formerAddresses, mustChangePassword } = own
  const about = {
    id: own.id,
    email: own.email,
    name: own.name,
    status: own.status,
    'email verified': emailVerified ? 'yes' : 'no',
    'former addresses':
      formerAddresses.map(({ email, until }) => `${email} (can be restored until ${until})`).join(', ') || null,
    'temporary password': mustChangePassword ? 'yes' : 'no',
    created: own.createdAt,
    disabled: own.disabledAt,
    'last sign-in': own.lastSignInAt,
    'second factor': own.hasSecondFactor ? 'yes' : 'no',
    'removed from': own.factorResetDueAt,
    sessions: own.sessions,
  }
  return { text: `${fields(about)}\n\n${list}`, json: account }
}

interface Creation {
  email: string
  name: string
  locale?: string | undefined
  company?: string | undefined
  taxId?: string | undefined
  as?: string | undefined
}

async function create({ as, company: name, taxId, locale = '', ...account }: Creation): Promise<Outcome> {
  if ((name === undefined) !== (taxId === undefined))
    throw new OperatorError('usage', '--company and --tax-id belong together: name both or none.')
  const company = name === undefined || taxId === undefined ? undefined : { name, taxId }
  return withService(async (deps) => {
    const { id, companyId } = await createAccount(deps, operatorFor('user create', as), { ...account, locale, company })
    const owned = companyId === null ? '' : `, owner of company ${companyId}`
    const text = `Created ${account.email} (${id})${owned}. ${LINK_SENT}`
    return { text, json: { id, email: account.email, companyId } }
  })
}

async function disable(key: string, { as, reason, email }: Acting & { email: boolean }): Promise<Outcome> {
  return withService(async (deps) => {
    const { id, email: address } = await getAccount(deps, key)
    const note = { reason, notifies: email }
    const { isChanged, endedSessions, withoutOwner } = await disableAccount(
      deps.database,
      operatorFor('user disable', as),
      id,
      note,
    )
    const text = isChanged
      ? `Disabled ${address}; ${endedSessions} sessions have ended.`
      : `${address} was disabled already.`
    const warnings = withoutOwner.map(
      (company) =>
        `company ${company.name} (${company.id}) has no other owner who can open it; operators still reach it with the commands of company`,
    )
    return { text, json: { id, email: address, status: 'disabled', isChanged, endedSessions, withoutOwner }, warnings }
  })
}

async function enable(key: string, { as, reason, email }: Acting & { email: boolean }): Promise<Outcome> {
  return withService(async (deps) => {
    const { id, email: address, formerAddresses } = await getAccount(deps, key)
    const note = { reason, notifies: email }
    const { isChanged, isLinkSent } = await enableAccount(deps.database, operatorFor('user enable', as), id, note)
    const link = isLinkSent ? ` It has no password. ${LINK_SENT}` : ''
    const text = isChanged ? `Enabled ${address}.${link}` : `${address} was not disabled.`
    const warnings = warningsOfAddresses(address, formerAddresses)
    return { text, json: { id, email: address, status: 'active', isChanged, isLinkSent }, warnings }
  })
}

async function reset(key: string, { as, reason }: Acting): Promise<Outcome> {
  return withService(async (deps) => {
    const { id, email: address, formerAddresses, hasSecondFactor, factorResetDueAt } = await getAccount(deps, key)
    const { endedSessions, isLinkSent } = await removePasswords(deps, operatorFor('user reset', as), id, reason)
    const next = isLinkSent ? LINK_SENT : 'It stays disabled: user enable sends a link to choose a new one.'
    const text = `Removed the password of ${address}; ${endedSessions} sessions have ended. ${next}`
    const warnings = [
      ...warningsOfAddresses(address, formerAddresses),
      ...(hasSecondFactor ? [warningOfFactors(factorResetDueAt)] : []),
    ]
    return { text, json: { id, email: address, endedSessions, isLinkSent }, warnings }
  })
}
