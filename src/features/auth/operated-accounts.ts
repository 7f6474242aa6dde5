import { sql } from 'kysely'
import type { Tx } from '../../database/open.ts'
import { asAccount, asAnyone, asWorker, enterAccount } from '../../database/scopes.ts'
import type { Deps } from '../../deps.ts'
import { EmailAddress } from '../../lib/emails.ts'
import { isUuid, newId } from '../../lib/ids.ts'
import { folded } from '../../lib/text.ts'
import { lockAccount, markRecovered } from '../accounts/accounts.ts'
import { findFactorReset } from '../accounts/factors/factor-resets.ts'
import { revokeLinks, sendLink } from '../accounts/links.ts'
import { clearPasswordAttempts } from '../accounts/password-attempts.ts'
import { deletePasswords } from '../accounts/passwords.ts'
import { revokeSessions } from '../accounts/revoke-sessions.ts'
import { deleteKnownNetworks } from '../accounts/sessions.ts'
import { type AuditActor, record } from '../audit/records.ts'
import { accountSubject } from '../audit/subjects.ts'
import { insertCompany } from '../companies/create-company.ts'
import type { NewCompany } from '../companies/schemas.ts'
import { noteIn } from './disable-account.ts'

type OperatorDeps = Pick<Deps, 'database'>

/** An account as operators see it. */
export interface AccountDetails {
  id: string
  email: string
  name: string
  status: 'active' | 'disabled'
  emailVerified: boolean
  /** Addresses that it had, whose readers can take the account back by the link in an email about the change, the oldest first. */
  formerAddresses: FormerAddress[]
  mustChangePassword: boolean
  createdAt: string
  disabledAt: string | null
  lastSignInAt: string | null
  hasSecondFactor: boolean
  /** Not before when an announced removal of its second factors takes effect; null: none is. */
  factorResetDueAt: string | null
  /** Sessions that have not ended. */
  sessions: number
  companies: AccountCompany[]
}

export interface FormerAddress {
  email: string
  /** When the link ends. */
  until: string
}

interface AccountCompany {
  id: string
  name: string
  slug: string
  status: 'active' | 'suspended' | 'deleted'
  membership: 'active' | 'inactive' | 'unverified'
  roles: string[]
}

/** The account with this id or email address, as the API would read it: no character of another script stands for one of an address. */
export async function findAccountDetails({ database }: OperatorDeps, key: string): Promise<AccountDetails | undefined> {
  const [column, value] = isUuid(key) ? (['id', key] as const) : (['email', EmailAddress.safeParse(key).data] as const)
  if (value === undefined) return undefined
  const account = await database
    .autocommit(asAnyone)
    .selectFrom('accounts')
    .select(['id', 'email', 'name', 'must_change_password as mustChangePassword', 'created_at as createdAt'])
    .select(sql<AccountDetails['status']>`case when disabled_at is null then 'active' else 'disabled' end`.as('status'))
    .select('has_second_factor as hasSecondFactor')
    .select([sql<boolean>`email_verified_at is not null`.as('emailVerified'), 'disabled_at as disabledAt'])
    .select(
      sql<string | null>`(select max(created_at) from sessions where account_id = accounts.id)`.as('lastSignInAt'),
    )
    .select(
      sql<number>`(select count(*)::int from sessions
        where account_id = accounts.id and revoked_at is null and expires_at > now())`.as('sessions'),
    )
    .where(column, '=', value)
    .executeTakeFirst()
  if (!account) return undefined
  const formerAddresses = await listFormerAddresses(database.autocommit(asAnyone), account.id, account.email)
  const factorResetDueAt = (await findFactorReset(database.autocommit(asAnyone), account.id)) ?? null
  const { rows } = await sql<AccountCompany>`
    select id, name, slug, status, membership, roles from find_account_companies(${account.id})`.execute(
    database.autocommit(asWorker),
  )
  return { ...account, formerAddresses, factorResetDueAt, companies: rows }
}

async function listFormerAddresses(tx: Tx, accountId: string, present: string): Promise<FormerAddress[]> {
  return tx
    .selectFrom('email_change_undos')
    .select(['email', (undos) => undos.fn.max('expires_at').as('until')])
    .where('account_id', '=', accountId)
    .where('email', '!=', present)
    .where('expires_at', '>', sql<string>`now()`)
    .groupBy('email')
    .orderBy((undos) => undos.fn.min('credentials_version'))
    .execute()
}

/** The account that had this address until lately, and can restore it; undefined: there is none. */
export async function findFormerHolder({ database }: OperatorDeps, email: string): Promise<string | undefined> {
  const undo = await database
    .autocommit(asAnyone)
    .selectFrom('email_change_undos')
    .select('account_id')
    .where('email', '=', EmailAddress.safeParse(email).data ?? '')
    .where('expires_at', '>', sql<string>`now()`)
    .orderBy('expires_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return undo?.account_id
}

export interface NewAccount {
  email: string
  name: string
  locale: string
  /** Created with the account, which owns it. */
  company: NewCompany | undefined
}

/** For an operator: creates an account without a password, and emails a link to choose one. */
export async function createAccount(
  { database }: OperatorDeps,
  operator: AuditActor,
  { email, name, locale, company }: NewAccount,
): Promise<{ id: string; companyId: string | null }> {
  const account = { id: newId(), email, name, locale }
  return database.write(asAnyone, async (tx) => {
    await tx
      .insertInto('accounts')
      .values({ ...account, name_folded: folded(name) })
      .execute()
    await record(tx, operator, 'accounts.create', accountSubject(account))
    const companyId = company ? await insertCompany(tx, operator, account.id, company) : null

    await enterAccount(tx, account.id)
    await sendLink(tx, { perRecipient: null }, account.id, 'reset_password', account, 'account_created')
    return { id: account.id, companyId }
  })
}

export interface RemovedPasswords {
  endedSessions: number
  /** False: the account is disabled, and its owner gets the link once it is enabled. */
  isLinkSent: boolean
}

/**
 * For an operator: removes every password, ends all sessions and links, and emails a link to choose a new password. For an
 * account that another person may have taken over, who must find no moment in which the former password works: so a disabled
 * one loses its passwords, too, and stays disabled.
 */
export async function removePasswords(
  { database }: OperatorDeps,
  operator: AuditActor,
  accountId: string,
  reason: string | undefined,
): Promise<RemovedPasswords> {
  return database.write(asAccount(accountId), async (tx) => {
    const account = await lockAccount(tx, accountId)
    const isLinkSent = account.disabled_at === null

    await deletePasswords(tx, accountId)
    const endedSessions = await endAccess(tx, account)
    if (isLinkSent) await sendLink(tx, { perRecipient: null }, accountId, 'reset_password', account, 'password_removed')
    await record(tx, operator, 'passwords.remove', accountSubject(account), noteIn(reason))
    return { endedSessions, isLinkSent }
  })
}

async function endAccess(tx: Tx, { id, email }: { id: string; email: string }): Promise<number> {
  const endedSessions = await revokeSessions(tx, id, 'password_reset')
  await revokeLinks(tx, id)
  await markRecovered(tx, id)
  await deleteKnownNetworks(tx, id)
  await clearPasswordAttempts(tx, email)
  return endedSessions
}
