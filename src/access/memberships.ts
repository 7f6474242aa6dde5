import type { Tx } from '../database/open.ts'
import { statement } from '../database/queries.ts'
import { problem } from '../problems.ts'
import type { Actor, CompanyActor } from './actors.ts'
import { type Authority, authorityOf } from './authority.ts'
import { type CompanyAccess, noAccessCode } from './requirements.ts'
import type { Role } from './roles.ts'

/** A member of the current company as the rules see it, with what its roles give. */
export interface Membership extends Authority {
  id: string
  name: string
  email: string
  locale: string
  status: 'active' | 'inactive'
  /** The company stays closed to this member until the address is verified. */
  awaits_verification: boolean
  /** The account has used the company at least once: until then the membership is only what the company says. */
  is_opened: boolean
  /** An administrator was shown a password of the account, and no mailed secret has verified its address since. */
  is_shown: boolean
  /** An operator has disabled the account. */
  is_disabled: boolean
  roles: Role[]
}

/**
 * Every write in a company begins here. The company's row is locked before any membership: changes of who holds what
 * happen one after the other, so that what a rule has checked is still true when it writes, and two owners who remove each
 * other wait instead of deadlocking. Then the actor is read again, because session, roles, membership or the company itself
 * may have changed since the request was let in; the caller decides again by what this returns. The statements are sent
 * together: each sees what was committed before it began, so those behind the lock see what was committed while it waited.
 */
export async function lockActor(tx: Tx, actor: CompanyActor, access: CompanyAccess): Promise<CompanyActor> {
  const [company, membership, isLive] = await Promise.all([
    lockCompany(tx),
    findMembership(tx, actor.accountId),
    isSessionLive(tx, actor),
  ])
  if (!isLive) throw problem('token_invalid')
  const isAnyEnough = access.company === 'any membership'
  const isEnough = isAnyEnough ? membership : membership?.status === 'active' && membership.is_opened
  if (!company || !membership || !isEnough) throw problem(noAccessCode(access))
  if (company.is_suspended && !isAnyEnough) throw problem('company_suspended')
  const { permissions, isOwner } = membership
  return { ...actor, permissions, isOwner }
}

/** A session may be revoked, by its owner or by an undo, while a request waits for a lock or for its password hash. */
async function isSessionLive(tx: Tx, { sessionId }: Actor): Promise<boolean> {
  const [session] = await findSession(tx, sessionId)
  return session?.is_live === true
}

const findSession = statement<{ is_live: boolean }, [sessionId: string]>(`select is_session_live($1) as is_live`)

export async function assertSessionLive(tx: Tx, actor: Actor): Promise<void> {
  if (!(await isSessionLive(tx, actor))) throw problem('token_invalid')
}

/** Undefined: the company is deleted. */
async function lockCompany(tx: Tx): Promise<{ is_suspended: boolean } | undefined> {
  const [company] = await lockOpenCompany(tx)
  return company
}

const lockOpenCompany = statement<{ is_suspended: boolean }>(`
  select suspended_at is not null as is_suspended from companies
  where id = current_company() and deleted_at is null for no key update`)

export async function getMembership(tx: Tx, accountId: string): Promise<Membership> {
  const membership = await findMembership(tx, accountId)
  if (!membership) throw problem('member_not_found')
  return membership
}

export async function findMembership(tx: Tx, accountId: string): Promise<Membership | undefined> {
  const [row] = await findWithRoles(tx, accountId)
  return row && { ...row, ...authorityOf(row.roles) }
}

const findWithRoles = statement<Omit<Membership, keyof Authority>, [accountId: string]>(`
  select accounts.id, accounts.name, accounts.email, accounts.locale, memberships.status, memberships.awaits_verification,
    memberships.opened_at is not null as is_opened, accounts.password_shown_at is not null as is_shown,
    accounts.disabled_at is not null as is_disabled, (
      select coalesce(jsonb_agg(distinct jsonb_build_object(
        'id', coalesce(roles.replaced_by, roles.id), 'name', roles.name,
        'permissions', roles.permissions, 'system_key', roles.system_key)), '[]')
      from membership_roles join roles on roles.id = membership_roles.role_id
      where membership_roles.company_id = memberships.company_id
        and membership_roles.account_id = memberships.account_id) as roles
  from memberships join accounts on accounts.id = memberships.account_id
  where memberships.account_id = $1`)
