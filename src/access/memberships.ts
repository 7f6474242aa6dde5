import type { Tx } from '../database/open.ts'
import { statement } from '../database/queries.ts'
import { problem } from '../problems.ts'
import type { Actor, CompanyActor } from './actors.ts'
import { type Authority, authorityOf } from './authority.ts'
import { type ClosedCode, closedProblem } from './policies.ts'
import { type CompanyAccess, noAccessCode } from './requirements.ts'
import type { Role } from './roles.ts'

/** A member of the current company as the rules see it, with what its roles give. */
export interface Membership extends Authority {
  id: string
  name: string
  email: string
  locale: string
  /** The address has been verified. */
  is_verified: boolean
  status: 'active' | 'inactive'
  /** The company stays closed to this member until the address is verified. */
  awaits_verification: boolean
  /** The account has used the company at least once: until then the membership is only what the company says. */
  is_opened: boolean
  /** What opened the company may have been another person, so the account has to open it anew: see functions/open_company.sql. */
  must_reopen: boolean
  /** An administrator was shown a password of the account, and no mailed secret has verified its address since. */
  is_shown: boolean
  /** An operator has disabled the account. */
  is_disabled: boolean
  /** When the account was last recovered from an intruder. */
  recovered_at: string | null
  /** Until when an administrator, by a password that was shown, or a stranger whom others have added, may have been in the account. */
  vouches_from: string | null
  roles: Role[]
}

/**
 * Every write in a company begins here. The company's row is locked before any membership: changes of who holds what
 * happen one after the other, so that what a rule has checked is still true when it writes, and two owners who remove each
 * other wait instead of deadlocking. Then the actor is read again, because session, roles, membership or the company itself
 * may have changed since the request was let in; the caller decides again by what this returns. The statements are sent
 * together: each sees what was committed before it began, so those behind the lock see what was committed while it waited.
 */
export function lockActor(tx: Tx, actor: CompanyActor, access: CompanyAccess): Promise<LockedActor> {
  return decideActor(tx, actor, access, lockCompany)
}

/** The same for a dry run, which changes nothing and so needs no lock. */
export function getActor(tx: Tx, actor: CompanyActor, access: CompanyAccess): Promise<LockedActor> {
  return decideActor(tx, actor, access, findCompany)
}

async function decideActor(
  tx: Tx,
  actor: CompanyActor,
  access: CompanyAccess,
  getCompany: typeof lockCompany,
): Promise<LockedActor> {
  const [company, membership, [session]] = await Promise.all([
    getCompany(tx),
    findMembership(tx, actor.accountId),
    findSession(tx, actor.sessionId, actor.ip),
  ])
  if (!session?.is_live) throw problem('token_invalid')
  const isAnyEnough = access.company === 'any membership'
  const isEnough = isAnyEnough ? membership : membership?.status === 'active' && membership.is_opened
  if (!company || !membership || !isEnough) throw problem(noAccessCode(access))
  if (company.is_suspended && !isAnyEnough) throw problem('company_suspended')
  if (session.closed_by && !isAnyEnough) throw await closedProblem(tx, actor, session.closed_by)
  const { permissions, isOwner } = membership
  return {
    actor: { ...actor, permissions, isOwner, isUnseen: !isInUse(membership), isVerified: membership.is_verified },
    stepUpMinutes: isAnyEnough ? null : company.step_up_minutes,
  }
}

/** The actor as it is under the lock, and how old a proof may be for changes in this company. */
interface LockedActor {
  actor: CompanyActor
  stepUpMinutes: number | null
}

interface LockedCompany {
  is_suspended: boolean
  step_up_minutes: number | null
}

/** The session may have been revoked, and the company's policy changed, while a request waited for the lock. */
const findSession = statement<{ is_live: boolean; closed_by: ClosedCode | null }, [sessionId: string, address: string]>(
  `select is_session_live($1) as is_live, session_closed_by($1, $2) as closed_by`,
)

/** A session may be revoked, by its owner or by an undo, while a request waits for a password hash. */
export async function assertSessionLive(tx: Tx, { sessionId }: Actor): Promise<void> {
  const [session] = await findLiveSession(tx, sessionId)
  if (!session?.is_live) throw problem('token_invalid')
}

const findLiveSession = statement<{ is_live: boolean }, [sessionId: string]>(`select is_session_live($1) as is_live`)

/**
 * Keeps the actor's session from ending before the transaction does, which may end it in another one: the last statement of what
 * the account vouches for, so that none of it is written after the owner has thrown an intruder out.
 */
export async function holdSession(tx: Tx, { sessionId }: Actor): Promise<void> {
  const [session] = await findAndHoldSession(tx, sessionId)
  if (!session?.is_live) throw problem('token_invalid')
}

const findAndHoldSession = statement<{ is_live: boolean }, [sessionId: string]>(`select hold_session($1) as is_live`)

/** Undefined: the company is deleted. */
async function lockCompany(tx: Tx): Promise<LockedCompany | undefined> {
  const [company] = await lockOpenCompany(tx)
  return company
}

async function findCompany(tx: Tx): Promise<LockedCompany | undefined> {
  const [company] = await findOpenCompany(tx)
  return company
}

/** For an account that is about to become a member. False: the company is deleted or suspended. */
export async function lockCompanyToJoin(tx: Tx): Promise<boolean> {
  const company = await lockCompany(tx)
  return company?.is_suspended === false
}

const lockOpenCompany = statement<LockedCompany>(`
  select suspended_at is not null as is_suspended, (extract(epoch from policy_step_up) / 60)::integer as step_up_minutes
  from companies
  where id = current_company() and deleted_at is null for no key update`)
const findOpenCompany = statement<LockedCompany>(`
  select suspended_at is not null as is_suspended, (extract(epoch from policy_step_up) / 60)::integer as step_up_minutes
  from companies
  where id = current_company() and deleted_at is null`)

export async function getMembership(tx: Tx, accountId: string): Promise<Membership> {
  const membership = await findMembership(tx, accountId)
  if (!membership) throw problem('member_not_found')
  return membership
}

/** The account has opened the company, and has not to open it anew: see open_company. */
export const isInUse = ({ is_opened, must_reopen }: Pick<Membership, 'is_opened' | 'must_reopen'>): boolean =>
  is_opened && !must_reopen

export async function findMembership(tx: Tx, accountId: string): Promise<Membership | undefined> {
  const [row] = await findWithRoles(tx, accountId)
  return row && { ...row, ...authorityOf(row.roles) }
}

const findWithRoles = statement<Omit<Membership, keyof Authority>, [accountId: string]>(`
  select accounts.id, accounts.name, accounts.email, accounts.locale, accounts.email_verified_at is not null as is_verified,
    memberships.status, memberships.awaits_verification,
    memberships.opened_at is not null as is_opened,
    coalesce(memberships.created_account and memberships.opened_at <= accounts.reset_by_link_at, false) as must_reopen,
    accounts.password_shown_at is not null as is_shown,
    accounts.disabled_at is not null as is_disabled, accounts.recovered_at,
    greatest(accounts.vouches_from, case when memberships.added_by is not null then accounts.regained_at end) as vouches_from, (
      select coalesce(jsonb_agg(distinct jsonb_build_object(
        'id', coalesce(roles.replaced_by, roles.id), 'name', roles.name,
        'permissions', roles.permissions, 'system_key', roles.system_key)), '[]')
      from membership_roles join roles on roles.id = membership_roles.role_id
      where membership_roles.company_id = memberships.company_id
        and membership_roles.account_id = memberships.account_id) as roles
  from memberships join accounts on accounts.id = memberships.account_id
  where memberships.account_id = $1`)
