import { sql } from 'kysely'
import type { CompanyActor } from '../../access/actors.ts'
import { assertCanGrant } from '../../access/authority.ts'
import { findRolesById, findRolesByName, getMemberRole, type Role } from '../../access/roles.ts'
import type { Config } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import { problem } from '../../problems.ts'
import type { PreparedPassword } from '../accounts/passwords.ts'
import { record } from '../audit/records.ts'
import { memberSubject } from '../audit/subjects.ts'
import { getCompanyContext, withCompanyLocale } from '../mail/outbox/company-context.ts'
import { enqueueEmailOrRefuse, limitsFor, type SendingLimits } from '../mail/outbox/enqueue.ts'
import { createManagedAccount } from './managed-accounts.ts'
import {
  assertBranchesUsable,
  branchChanges,
  type FoundBranches,
  findBranchesFor,
  setMemberBranches,
} from './member-branches.ts'
import { adjustMemberCounters, getMember } from './members.ts'
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
  const { roles, isOneUnknown } = roleIds.length > 0 ? await findRolesById(tx, roleIds) : await getMemberRole(tx)
  assertCanGrant(actor, roles)

  const found = await findAccount(tx, { email })
  if (found) await assertNotMember(tx, found.id)
  if (isOneUnknown) throw problem('role_unknown')
  const branches = await findBranchesFor(tx, branchIds)
  assertBranchesUsable(branches)
  const made = found ? undefined : await createManagedAccount(tx, actor, config, { name, email }, password)
  // Another company added the same address at the same time: then its account is linked.
  const account = found ?? made ?? ((await findAccount(tx, { email })) as Found)
  await createMembership(tx, actor, config, account, details, { roles, branches }, { isNew: made !== undefined })
  return { id: account.id, name: account.name, email: account.email, isNewUser: made !== undefined }
}

/** Links an existing account by its id. */
export async function assignMember(tx: Tx, actor: CompanyActor, config: Config, wanted: Assignment): Promise<Member> {
  const { userId, roleNames = [], branchIds, phone } = wanted
  const { roles, isOneUnknown } = roleNames.length > 0 ? await findRolesByName(tx, roleNames) : await getMemberRole(tx)
  assertCanGrant(actor, roles)

  const account = await findAccount(tx, { id: userId })
  if (!account) throw problem('account_not_found')
  await assertNotMember(tx, account.id)
  if (isOneUnknown) throw problem('role_unknown')
  const branches = await findBranchesFor(tx, branchIds)
  assertBranchesUsable(branches)
  await createMembership(tx, actor, config, account, { phone }, { roles, branches }, { isNew: false })
  return getMember(tx, account.id)
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
): Promise<Found | undefined> {
  const { rows } =
    await sql<Found>`select id, email, name, locale, is_verified from find_account(${id}, ${email})`.execute(tx)
  return rows[0]
}

async function assertNotMember(tx: Tx, accountId: string): Promise<void> {
  const member = await tx
    .selectFrom('memberships')
    .select('account_id')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  if (member) throw problem('already_member')
}

/**
 * The owner of a linked account is notified. The email explains how to reset the password, in case another person signed
 * up with the address.
 */
async function createMembership(
  tx: Tx,
  actor: CompanyActor,
  { emailLimits, requireVerifiedEmail }: Config,
  account: Found,
  details: Pick<NewMember, 'phone' | 'position' | 'document_type' | 'document_number'>,
  { roles, branches }: { roles: Role[]; branches: FoundBranches },
  { isNew }: { isNew: boolean },
): Promise<void> {
  const awaits_verification = requireVerifiedEmail && !isNew && !account.is_verified
  await tx
    .insertInto('memberships')
    .values({ account_id: account.id, awaits_verification, added_by: actor.accountId, ...withoutUndefined(details) })
    .execute()
  await tx
    .insertInto('membership_roles')
    .values(roles.map((role) => ({ account_id: account.id, role_id: role.id })))
    .execute()
  await setMemberBranches(tx, account.id, branches)
  if (!isNew) await notifyAddedMember(tx, limitsFor(emailLimits, actor), account)
  await record(tx, actor, 'users.add', memberSubject(account), {
    roles: { to: roles.map(({ name }) => name) },
    ...branchChanges(branches),
  })
  await adjustMemberCounters(tx, { active: 1 })
}

async function notifyAddedMember(tx: Tx, bounds: SendingLimits, account: Found): Promise<void> {
  const company = await getCompanyContext(tx)
  await enqueueEmailOrRefuse(tx, bounds, 'added_to_company', withCompanyLocale(account, company), {
    company: company.name,
  })
}

const withoutUndefined = (details: object) =>
  Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined))
