import { sql } from 'kysely'
import type { Member } from '../../access/actors.ts'
import { mayGive } from '../../access/authority.ts'
import {
  lockedAuthority,
  memberRole,
  type Role,
  readerOf,
  rolesById,
  rolesByName,
  senderOf,
} from '../../access/memberships.ts'
import type { Config } from '../../config/config.ts'
import type { Tx } from '../../database/open.ts'
import { problem } from '../../problems.ts'
import type { PreparedPassword } from '../accounts/passwords.ts'
import { record } from '../audit/records.ts'
import { memberSubject } from '../audit/subjects.ts'
import { type Bounds, boundsOf, postOrRefuse } from '../mail/outbox/enqueue.ts'
import { makeManagedAccount } from './managed-accounts.ts'
import { type Branch, branchesFor, placeMember } from './member-branches.ts'
import { count, type MemberView, viewOf } from './members.ts'

/** What a company writes about a member; `''`: nothing of its own. */
export interface MemberDetails {
  phone?: string | undefined
  position?: string | undefined
  document_type?: string | undefined
  document_number?: string | undefined
}

export interface NewMember extends MemberDetails {
  name: string
  email: string
  roleIds?: string[] | undefined
  branchIds?: string[] | undefined
}

export interface Added {
  id: string
  name: string
  email: string
  isNewUser: boolean
}

/**
 * Adds whoever has the address, or makes an account for it with a temporary password that is mailed. An account that
 * exists is only linked: its name, password and profile stay as they are.
 */
export async function addMember(
  tx: Tx,
  actor: Member,
  config: Config,
  wanted: NewMember,
  password: PreparedPassword | undefined,
): Promise<Added> {
  const { name, email, roleIds = [], branchIds, ...details } = wanted
  const authority = await lockedAuthority(tx, actor, 'users:create')
  const { roles, isOneUnknown } = roleIds.length > 0 ? await rolesById(tx, roleIds) : await memberRole(tx)
  mayGive(authority, roles)

  const found = await findAccount(tx, { email })
  if (found) await refuseMember(tx, found.id)
  if (isOneUnknown) throw problem('role_unknown')
  const branches = await branchesFor(tx, branchIds)
  const made = found ? undefined : await makeManagedAccount(tx, actor, config, { name, email }, password)
  // Lost a race against another company that added the same address: then it is linked.
  const account = found ?? made ?? ((await findAccount(tx, { email })) as Found)
  await join(tx, actor, config, account, details, { roles, branches }, { isNew: made !== undefined })
  return { id: account.id, name: account.name, email: account.email, isNewUser: made !== undefined }
}

export interface Assignment {
  userId: string
  roleNames?: string[] | undefined
  branchIds?: string[] | undefined
  phone?: string | undefined
}

/** Links an account that exists, by its id. */
export async function assignMember(tx: Tx, actor: Member, config: Config, wanted: Assignment): Promise<MemberView> {
  const { userId, roleNames = [], branchIds, phone } = wanted
  const authority = await lockedAuthority(tx, actor, 'users:create')
  const { roles, isOneUnknown } = roleNames.length > 0 ? await rolesByName(tx, roleNames) : await memberRole(tx)
  mayGive(authority, roles)

  const account = await findAccount(tx, { id: userId })
  if (!account) throw problem('account_not_found')
  await refuseMember(tx, account.id)
  if (isOneUnknown) throw problem('role_unknown')
  const branches = await branchesFor(tx, branchIds)
  await join(tx, actor, config, account, { phone }, { roles, branches }, { isNew: false })
  return viewOf(tx, account.id)
}

interface Found {
  id: string
  email: string
  name: string
  locale: string
  is_verified: boolean
}

/** Locked: the account's address stays the wanted one until it is linked. */
async function findAccount(
  tx: Tx,
  { id = null, email = null }: { id?: string | null; email?: string | null },
): Promise<Found | undefined> {
  const { rows } =
    await sql<Found>`select id, email, name, locale, is_verified from find_account(${id}, ${email})`.execute(tx)
  return rows[0]
}

async function refuseMember(tx: Tx, accountId: string): Promise<void> {
  const member = await tx
    .selectFrom('memberships')
    .select('account_id')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  if (member) throw problem('already_member')
}

/** A linked account is told, and how to get its password back for an owner of the mailbox who never made it. */
async function join(
  tx: Tx,
  actor: Member,
  { emailLimits, requireVerifiedEmail }: Config,
  account: Found,
  details: MemberDetails,
  { roles, branches }: { roles: Role[]; branches: Branch[] },
  { isNew }: { isNew: boolean },
): Promise<void> {
  const awaits_verification = requireVerifiedEmail && !isNew && !account.is_verified
  await tx
    .insertInto('memberships')
    .values({ account_id: account.id, awaits_verification, added_by: actor.accountId, ...given(details) })
    .execute()
  await tx
    .insertInto('membership_roles')
    .values(roles.map((role) => ({ account_id: account.id, role_id: role.id })))
    .execute()
  const placed = await placeMember(tx, account.id, branches)
  if (!isNew) await tellOfCompany(tx, boundsOf(emailLimits, actor), account)
  await record(tx, actor, 'users.add', memberSubject(account), {
    roles: { to: roles.map(({ name }) => name) },
    ...placed,
  })
  await count(tx, { active: 1 })
}

async function tellOfCompany(tx: Tx, bounds: Bounds, account: Found): Promise<void> {
  const company = await senderOf(tx)
  await postOrRefuse(tx, bounds, 'added_to_company', readerOf(account, company), { company: company.name })
}

const given = (details: MemberDetails) =>
  Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined))
