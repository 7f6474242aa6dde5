import { sql } from 'kysely'
import type { CompanyActor } from '../../access/actors.ts'
import { assertCanGrant, authorityOf } from '../../access/authority.ts'
import { assertCanGive } from '../../access/freshness.ts'
import { type AllowedDomains, allowsDomain, asksDomain, domainColumns } from '../../access/policies.ts'
import { type FoundRoles, findRolesById, findRolesByName, getMemberRole, type Role } from '../../access/roles.ts'
import type { Config } from '../../config/config.ts'
import { OutdatedReadError, problemFromDatabase } from '../../database/errors.ts'
import type { Tx } from '../../database/open.ts'
import { problem } from '../../problems.ts'
import type { PreparedPassword } from '../accounts/passwords.ts'
import { record } from '../audit/records.ts'
import { memberSubject } from '../audit/subjects.ts'
import { addedBy, type CompanyContext, companyParams, withCompanyLocale } from '../mail/outbox/company-context.ts'
import type { EmailParams } from '../mail/outbox/emails.ts'
import { enqueueEmailOrRefuse, limitsFor, type SendingLimits } from '../mail/outbox/enqueue.ts'
import { notifyOfAddedOwner } from '../ownership/notify-owners-changed.ts'
import { createManagedAccount, newAccount } from './managed-accounts.ts'
import {
  assertBranchesUsable,
  branchChanges,
  type FoundBranches,
  findBranchesFor,
  setMemberBranches,
} from './member-branches.ts'
import { adjustMemberCounters, getMember } from './members.ts'
import { insertMembership } from './new-membership.ts'
import type { AddedMember, Assignment, Member, NewMember } from './schemas.ts'

/**
 * Adds the account with this address, or creates one with a temporary password that is emailed. An existing account is
 * only linked: its name, password and profile stay as they are.
 */
export async function addMember(
  tx: Tx,
  actor: CompanyActor,
  config: Config,
  wanted: NewMember,
  password: PreparedPassword | undefined,
): Promise<AddedMember> {
  const { name, email, roleIds = [], branchIds, ...details } = wanted
  const roles = roleIds.length > 0 ? findRolesById(tx, roleIds) : getMemberRole(tx)
  const { account: found, ...admission } = await readAdmission(tx, actor, roles, { email }, branchIds)
  // The account that had the address changed it after the lookup, so a retry finds the address free.
  if (!found && !password) throw problem('overloaded', { retryAfterSeconds: 1 })

  const account = found ?? newAccount({ name, email }, admission.company)
  const link = () => createMembership(tx, actor, config, account, details, admission, { isNew: !found })
  await Promise.all([
    !found && password && createManagedAccount(tx, actor, config, account, admission.company, password),
    // After the account, in the order of every lock.
    authorityOf(admission.roles).isOwner
      ? notifyOfAddedOwner(tx, actor, config, account, admission.roles).then(link)
      : link(),
  ]).catch(restartWhenTaken)
  return { id: account.id, name: account.name, email: account.email, isNewUser: !found }
}

/** Another company added the same address at the same time: the next try finds its account and links that one. */
function restartWhenTaken(error: unknown): never {
  throw problemFromDatabase(error)?.code === 'email_taken' ? new OutdatedReadError({ cause: error }) : error
}

/** Links an existing account by its id. */
export async function assignMember(tx: Tx, actor: CompanyActor, config: Config, wanted: Assignment): Promise<Member> {
  const { userId, roleNames = [], branchIds, phone } = wanted
  const roles = roleNames.length > 0 ? findRolesByName(tx, roleNames) : getMemberRole(tx)
  const { account, ...admission } = await readAdmission(tx, actor, roles, { id: userId }, branchIds)
  if (!account) throw problem('account_not_found')

  await notifyOfAddedOwner(tx, actor, config, account, admission.roles)
  const [, member] = await Promise.all([
    createMembership(tx, actor, config, account, { phone }, admission, { isNew: false }),
    getMember(tx, account.id),
  ])
  return member
}

interface Admission {
  roles: Role[]
  branches: FoundBranches
  company: CompanyContext & AllowedDomains
}

/**
 * What a new membership is made of, read in one round trip; refused in the order in which the arguments are. An account that is
 * wanted by its id must exist.
 */
async function readAdmission(
  tx: Tx,
  actor: CompanyActor,
  findingRoles: Promise<FoundRoles>,
  wanted: { id?: string; email?: string },
  branchIds: readonly string[] | undefined,
): Promise<Admission & { account: Found | undefined }> {
  const [{ roles, isOneUnknown }, account, branches, company] = await Promise.all([
    findingRoles,
    findAccount(tx, wanted),
    findBranchesFor(tx, branchIds),
    getAdmittingCompany(tx),
  ])
  assertCanGrant(actor, roles)
  if (!account && wanted.id) throw problem('account_not_found')
  if (!allowsDomain(company, account?.email ?? (wanted.email as string), 'addition'))
    throw problem('domain_not_allowed')
  if (account?.is_member) throw problem('already_member')
  if (isOneUnknown) throw problem('role_unknown')
  assertBranchesUsable(branches)
  await assertCanGive(tx, actor, roles)
  return { account, roles, branches, company }
}

/** What the email to the member needs to know of it, and whom it admits. */
async function getAdmittingCompany(tx: Tx): Promise<CompanyContext & AllowedDomains> {
  return tx
    .selectFrom('companies')
    .select(['id', 'name', 'locale', 'timezone', ...domainColumns])
    .executeTakeFirstOrThrow()
}

interface Found {
  id: string
  email: string
  name: string
  locale: string
  is_verified: boolean
}

/** Locks the account, so that its address stays the requested one until it is linked. */
async function findAccount(
  tx: Tx,
  { id = null, email = null }: { id?: string | null; email?: string | null },
): Promise<(Found & { is_member: boolean }) | undefined> {
  const { rows } = await sql<Found & { is_member: boolean }>`
    select id, email, name, locale, is_verified, is_member from find_account(${id}, ${email})`.execute(tx)
  return rows[0]
}

/** Sends all statements at once: they run in this order, and the first that fails ends the transaction. */
async function createMembership(
  tx: Tx,
  actor: CompanyActor,
  { emailLimits, requireVerifiedEmail }: Config,
  account: Found,
  details: Pick<NewMember, 'phone' | 'position' | 'document_type' | 'document_number'>,
  { roles, branches, company }: Admission,
  { isNew }: { isNew: boolean },
): Promise<void> {
  // Anyone can sign up with an address at any domain, so where a policy asks for domains, one that was never verified does not count as one.
  const awaits_verification =
    (requireVerifiedEmail || asksDomain(company, 'addition')) && !isNew && !account.is_verified
  const names = (list: { name: string }[]) => list.map(({ name }) => name)
  await Promise.all([
    insertMembership(tx, account.id, roles, {
      awaits_verification,
      added_by: actor.accountId,
      ...withoutUndefined(details),
    }),
    setMemberBranches(tx, account.id, branches),
    isNew || notifyAddedMember(tx, actor, limitsFor(emailLimits, actor), account, company, awaits_verification),
    record(tx, actor, 'users.add', memberSubject(account), {
      roles: { to: names(roles) },
      ...branchChanges(branches),
    }),
    adjustMemberCounters(tx, { active: 1 }),
  ])
}

/**
 * The owner of a linked account is notified, and who added it: anyone can give a company any name. The email explains how to reset the password, in case another person signed
 * up with the address, or because the membership awaits that.
 */
async function notifyAddedMember(
  tx: Tx,
  actor: CompanyActor,
  bounds: SendingLimits,
  account: Found,
  company: CompanyContext,
  awaitsVerification: boolean,
): Promise<void> {
  const reader = withCompanyLocale(account, company)
  const awaits: EmailParams['added_to_company']['awaits'] = awaitsVerification ? 'yes' : ''
  const params = { ...companyParams(company), ...addedBy(actor), awaits }
  await enqueueEmailOrRefuse(tx, bounds, 'added_to_company', reader, params)
}

const withoutUndefined = (details: object) =>
  Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined))
