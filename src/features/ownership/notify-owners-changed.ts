import type { CompanyActor } from '../../access/actors.ts'
import { authorityOf, type RoleGrant } from '../../access/authority.ts'
import type { Membership } from '../../access/memberships.ts'
import { countsAsOwner, listOwners, OWNERS_NOTIFIED_MAX, type Owner } from '../../access/owners.ts'
import type { Config } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import {
  type CompanyContext,
  companyParams,
  getCompanyContext,
  withCompanyLocale,
} from '../mail/outbox/company-context.ts'
import type { EmailParams, OwnerGain, OwnerLoss } from '../mail/outbox/emails.ts'
import { enqueueEmailWithinLimits, enqueueNotice, mailboxLimit, noticeLimits } from '../mail/outbox/enqueue.ts'

const GAINS: EmailParams['owners_changed']['change'][] = ['made', 'added', 'joined', 'reactivated', 'transferred']

type Limits = Pick<Config, 'emailLimits'>

/** Shown by both: a name says what its person chose. */
interface Named {
  name: string
  email: string
}

/** Of a new owner, whether the address has been verified: otherwise it may be that of another person, who has no account. */
interface NewOwner extends Named {
  is_verified?: boolean
}

/** A role whose members all are owners now, with the addresses of some of them: a role has the name that an intruder chose. */
interface ReplacedRole {
  name: string
  memberEmails: readonly string[]
}

interface OwnerChange<Kind> {
  change: Kind
  /** Who is an owner now, or no more. */
  person: NewOwner | ReplacedRole
  /** Who did it; for an operator or the service, none. */
  by?: Named
  /** Accounts that get another email about it. Not who did it: that may be a thief in an owner's session. */
  except?: readonly string[]
}

/**
 * Tells the owners of the current company that another member is one from now on. Called before that is written, so that it is those of
 * before, and after the account is locked, in the order of every lock.
 */
export async function notifyOfNewOwner(tx: Tx, config: Limits, change: OwnerChange<OwnerGain>): Promise<void> {
  await notify(tx, config, change, await listOwners(tx, OWNERS_NOTIFIED_MAX))
}

/** The same where the actor adds a member with these roles; without that of owners it costs nothing. */
export async function notifyOfAddedOwner(
  tx: Tx,
  actor: CompanyActor,
  config: Limits,
  added: NewOwner,
  roles: readonly RoleGrant[],
): Promise<void> {
  if (!authorityOf(roles).isOwner) return
  await notifyOfNewOwner(tx, config, { change: 'added', person: added, by: actor })
}

/** The same of an owner who is none any more, `target`, who is told as well. */
export async function notifyOfLostOwner(
  tx: Tx,
  actor: CompanyActor,
  config: Limits,
  target: Membership,
  change: OwnerLoss,
): Promise<void> {
  // Always, also where the company has more owners than are told, or the account is disabled.
  const was = countsAsOwner({ ...target, is_disabled: false }) ? { ...target, is_joined_first: true } : undefined
  const owners = await listOwners(tx, OWNERS_NOTIFIED_MAX, was)
  await notify(tx, config, { change, person: target, by: actor }, owners)
}

/** Of the account, those that it joined first: one undo tells no more, for which its owner waits, and the logs of all have it. */
export const COMPANIES_TOLD_MAX = 20

/**
 * What no owner did to another one, who knows by an email to the account. Without a limit, whose lock might be held by a company that
 * waits for this account.
 */
export async function notifyOtherOwners(
  tx: Tx,
  account: Named & { id: string },
  change: 'disabled' | 'enabled' | 'undone',
): Promise<void> {
  await notify(
    tx,
    undefined,
    { change, person: account, except: [account.id] },
    await listOwners(tx, OWNERS_NOTIFIED_MAX),
  )
}

/** Sent together, sorted by address, as every set of emails is enqueued. */
async function notify(
  tx: Tx,
  config: Limits | undefined,
  { except = [], person, by, change }: OwnerChange<EmailParams['owners_changed']['change']>,
  owners: Owner[],
): Promise<void> {
  const readers = owners.filter(({ id }) => !except.includes(id)).sort((a, b) => (a.email < b.email ? -1 : 1))
  if (readers.length === 0) return
  const company = await getCompanyContext(tx)
  const { email = '', is_verified = true, memberEmails = [] }: Partial<NewOwner & ReplacedRole> = person
  const params: EmailParams['owners_changed'] = {
    ...companyParams(company),
    change,
    person: person.name,
    personEmail: email,
    verified: is_verified || !GAINS.includes(change) ? '' : 'no',
    memberEmails: memberEmails.join(' '),
    by: by?.name ?? '',
    byEmail: by?.email ?? '',
    at: new Date().toISOString(),
    timezone: company.timezone,
  }
  await Promise.all(readers.map((reader) => enqueue(tx, config, company, reader, params)))
}

/**
 * Never withheld without a word: of the emails that one reader gets about the same company within the hour, ten, the last one says that
 * others may follow of which no email tells, and another email says so of all companies. Refusing the change instead would let an intruder
 * use up the limit, and then no owner could remove the intruder. An address that its account has never verified has a limit over all companies
 * as well: see mailboxLimit.
 */
async function enqueue(
  tx: Tx,
  config: Limits | undefined,
  company: CompanyContext,
  reader: Owner,
  params: EmailParams['owners_changed'],
): Promise<void> {
  const limits = config?.emailLimits
  const recipient = withCompanyLocale(reader, company)
  const keeping = (kept: number) => {
    const less = (limit: number | null | undefined) => (limit ? limit - kept : null)
    return {
      // What has no limit counts for none either.
      ...noticeLimits({ noticesPerRecipient: less(limits?.noticesPerRecipient) }, limits && company.id),
      perMailbox: less(limits ? mailboxLimit(limits, reader) : null),
    }
  }
  const { retryAfterSeconds } = await enqueueEmailWithinLimits(tx, keeping(1), 'owners_changed', recipient, params)
  if (retryAfterSeconds) await enqueueNotice(tx, keeping(0), 'owners_changed', recipient, { ...params, change: 'many' })
}
