import type { Tx } from '../database/open.ts'
import { statement } from '../database/queries.ts'
import { problem } from '../problems.ts'
import type { Membership } from './memberships.ts'
import { keyOf, type Role } from './roles.ts'

/** So many owners are told of something; more than a company has. */
export const OWNERS_NOTIFIED_MAX = 100

/**
 * Throws when this member is the only owner who counts, before a change that takes that role away. Needs the company’s
 * lock: without it two owners who remove each other would each find the other one.
 */
export async function assertAnotherOwner(tx: Tx, without: string): Promise<void> {
  if (!(await hasAnotherOwner(tx, without))) throw problem('last_owner')
  await assertAnotherCanPass(tx, without)
}

/**
 * Throws when this owner is the only one whom the company's policy can let in, before a change after which it no longer is one
 * or can no longer pass. `becoming`: who is an owner after the change, and with which roles. Needs the company's lock.
 */
export async function assertAnotherCanPass(
  tx: Tx,
  without: string,
  becoming?: { id: string; roles: readonly Role[] },
): Promise<void> {
  const [{ isLast } = { isLast: false }] = await findLastToPass(
    tx,
    without,
    becoming?.id ?? null,
    becoming ? becoming.roles.map(keyOf) : [],
  )
  if (isLast) throw problem('policy_locks_all_owners')
}

/** Whether the company has another owner who counts and whom its policy can let in. */
export async function canAnotherOwnerManage(tx: Tx, without: string): Promise<boolean> {
  const [other] = await findAnotherToPass(tx, without)
  return other?.canPass === true && (await hasAnotherOwner(tx, without))
}

/**
 * Throws when no owner could pass any more once the members with a role have another one in its place. Needs the company's
 * lock, except for a dry run.
 */
export async function assertOwnersPassWith(tx: Tx, replaced: string, replacement: Role): Promise<void> {
  const [{ isLockedOut } = { isLockedOut: false }] = await findLockedOut(tx, replaced, keyOf(replacement))
  if (isLockedOut) throw problem('policy_locks_all_owners')
}

const KEY = 'coalesce(roles.system_key, coalesce(roles.replaced_by, roles.id)::text)'

const IS_OWNER = `role_id = any (array(select id from roles where system_key = 'owner'))`
const COUNTS = `memberships.status = 'active' and memberships.opened_at is not null`

/** Fewer than these are all looked at. Of more, so many are, and the owners among the first members: one call makes owners of all with a role. */
const LOOKED_AT_BELOW = 2001
const WALKED_MAX = 20_000
/** Each is judged by the policy, which takes longer. */
const WALKED_TO_JUDGE_MAX = 5000

const firstMembers = (max: number) => `
  select account_id, created_at from memberships
  where (select count(*) from held) = ${LOOKED_AT_BELOW} and ${COUNTS}
  order by created_at, account_id limit ${max}`

/**
 * From the owner role to its members: joined freely, the planner may read all members of a large company, whose lock is held meanwhile.
 */
const LOOKED_AT = `
  with held as materialized (select account_id from membership_roles where ${IS_OWNER} limit ${LOOKED_AT_BELOW})
  select account_id from held
  union
  select account_id from (${firstMembers(WALKED_TO_JUDGE_MAX)}) oldest
  where exists (select from membership_roles where account_id = oldest.account_id and ${IS_OWNER})`

/** The owners of these whom the policy lets in. `key`: what it knows each of their roles by. */
const passing = (key: string, accounts = LOOKED_AT, hasFactor = 'accounts.has_second_factor') => `
  select memberships.account_id
  from companies
  cross join (${accounts}) owners
  join memberships on memberships.account_id = owners.account_id
  join accounts on accounts.id = memberships.account_id
  where companies.policy_factor_from <= now() and ${COUNTS} and accounts.disabled_at is null
    and (${hasFactor} or not asks_second_factor(companies, array(
      select ${key} from membership_roles join roles on roles.id = membership_roles.role_id
      where membership_roles.account_id = memberships.account_id), now()))`

const THIS_OWNER = `select account_id from membership_roles where account_id = $1 and ${IS_OWNER} limit 1`

// Of an account that has to open the company anew the company knows no factor: it may go as one that has never opened it.
const LAST_TO_PASS = `
  select exists (${passing(KEY, THIS_OWNER, 'memberships.second_factor')})
    and not exists (select from (${passing(KEY)}) passing where account_id <> $1)
    and not exists (
      select from memberships join companies on companies.id = memberships.company_id
      where memberships.account_id = $2::uuid
        and (memberships.second_factor or not asks_second_factor(companies, $3, now()))) as "isLast"`
const findLastToPass = statement<
  { isLast: boolean },
  [without: string, becoming: string | null, roleKeys: readonly string[]]
>(LAST_TO_PASS)

const ANOTHER_TO_PASS = `
  select not exists (select from companies where policy_factor_from <= now())
    or exists (select from (${passing(KEY)}) passing where account_id <> $1) as "canPass"`
const findAnotherToPass = statement<{ canPass: boolean }, [without: string]>(ANOTHER_TO_PASS)

/** Whether the policy asks this member for a second factor that the account does not have: it lets no session of the account in. */
export async function awaitsSecondFactor(tx: Tx, { id, roles }: Pick<Membership, 'id' | 'roles'>): Promise<boolean> {
  const [found] = await findAwaiting(tx, id, roles.map(keyOf))
  return found?.awaits === true
}

const findAwaiting = statement<{ awaits: boolean | null }, [accountId: string, roleKeys: readonly string[]]>(`
  select not memberships.second_factor and asks_second_factor(companies, $2, now()) as awaits
  from memberships join companies on companies.id = memberships.company_id
  where memberships.account_id = $1`)

const findLockedOut = statement<{ isLockedOut: boolean }, [replaced: string, key: string]>(`
  select exists (${passing(KEY)}) and not exists (${passing(
    `case when coalesce(roles.replaced_by, roles.id) = $1::uuid then $2 else ${KEY} end`,
  )}) as "isLockedOut"`)

async function hasAnotherOwner(tx: Tx, without: string): Promise<boolean> {
  const [found] = await findAnotherOwner(tx, without)
  return found?.isThere === true
}

/** Of very many members these are looked at before all owners are. */
const FIRST_AND_LAST = `
  select account_id from (
    (select account_id from memberships order by created_at, account_id limit ${WALKED_MAX})
    union all
    (select account_id from memberships order by created_at desc, account_id desc limit ${WALKED_MAX})) ends
  cross join lateral (
    select from membership_roles where account_id = ends.account_id and ${IS_OWNER} limit 1) owner
  where account_id <> $1`

const anyCounts = (accounts: string) => `exists (
  select from (${accounts} offset 0) owners
  cross join lateral (
    select from memberships join accounts on accounts.id = memberships.account_id
    where memberships.account_id = owners.account_id and ${COUNTS} and accounts.disabled_at is null offset 0) counting)`

const OTHERS = `select account_id from membership_roles where ${IS_OWNER} and account_id <> $1`

/** One call makes owners of all members with a role, none of whom may count; those who do may be anywhere among them. */
const ANOTHER_OWNER = `
  with held as materialized (${OTHERS} limit ${LOOKED_AT_BELOW})
  select case
    when ${anyCounts('select account_id from held')} then true
    when (select count(*) from held) < ${LOOKED_AT_BELOW} then false
    when ${anyCounts(FIRST_AND_LAST)} then true
    else ${anyCounts(OTHERS)} end as "isThere"`
const findAnotherOwner = statement<{ isThere: boolean }, [without: string]>(ANOTHER_OWNER)

/**
 * Whether what a member has vouched for at this time still counts: an intruder may have done it before the account was
 * recovered, or, before an emailed secret replaced the password, an administrator who was shown it or a stranger who signed up with the
 * address. A token or a link that an accomplice kept would otherwise outlive that.
 */
export const standsBy = ({ recovered_at, vouches_from }: Membership, since: string): boolean =>
  [recovered_at, vouches_from].every((until) => until === null || Date.parse(since) > Date.parse(until))

/**
 * Only active owners who have opened the company count, and whose account is not disabled: a company must not depend on an
 * account that was never used, or that can't be used.
 */
export const countsAsOwner = ({ isOwner, status, is_opened, is_disabled }: Membership): boolean =>
  status === 'active' && is_opened && !is_disabled && isOwner

/** The new owner keeps the other roles; the former owner becomes an admin. */
export async function transferOwnerRole(tx: Tx, giver: Membership, receiver: Membership): Promise<void> {
  const roles = await tx
    .selectFrom('roles')
    .select(['id', 'system_key'])
    .where('system_key', 'in', ['owner', 'admin'])
    .where('replaced_by', 'is', null)
    .execute()
  const idOf = (key: string) => roles.find(({ system_key }) => system_key === key)?.id as string
  await tx
    .insertInto('membership_roles')
    .values([
      { account_id: receiver.id, role_id: idOf('owner') },
      { account_id: giver.id, role_id: idOf('admin') },
    ])
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await tx
    .deleteFrom('membership_roles')
    .where('account_id', '=', giver.id)
    .where('role_id', 'in', tx.selectFrom('roles').select('id').where('system_key', '=', 'owner'))
    .execute()
}

/** As a recipient of emails. */
export interface Owner {
  id: string
  email: string
  name: string
  locale: string
  /** The address has been verified. */
  is_verified: boolean
  /** The company is one of the first ones of the account: see functions/joined_first.sql. */
  is_joined_first: boolean
  /** The account has another address by now, and can be restored by this one. */
  is_former?: boolean
}

/** Disabling may be the first step in giving an account back to its owner. */
const HEARS = `(accounts.disabled_at is null or accounts.disabled_at > now() - interval '7 days')`

const OWNERS = `
  with held as materialized (
    select distinct account_id from membership_roles where ${IS_OWNER} limit ${LOOKED_AT_BELOW}),
  few as (
    select held.account_id, open.created_at
    from held cross join lateral (
      select memberships.created_at from memberships join accounts on accounts.id = memberships.account_id
      where memberships.account_id = held.account_id and ${COUNTS} and ${HEARS} offset 0
    ) open),
  many as (
    select oldest.account_id, oldest.created_at
    from (${firstMembers(WALKED_MAX)}) oldest
    cross join lateral (
      select from membership_roles where account_id = oldest.account_id and ${IS_OWNER} limit 1) owner
    cross join lateral (
      select from accounts where id = oldest.account_id and ${HEARS} offset 0) hearing
    order by oldest.created_at, oldest.account_id limit $1)
  select accounts.id, accounts.email, accounts.name, accounts.locale,
    accounts.email_verified_at is not null as is_verified, joined_first(accounts.id) as is_joined_first
  from (
    select account_id from (select * from few union select * from many) found
    order by created_at, account_id limit $1) first
  join accounts on accounts.id = first.account_id`

/**
 * Owners who count, and those whose account was disabled within 7 days, as recipients of emails; at most `ownersMax` of them, and those who have been members for longest, so that a
 * thief who makes many owners keeps none of them from hearing of it. They are gathered by their role, because otherwise the planner may
 * walk all members of a large company. But one call makes owners of all members with a role, and the company is locked meanwhile: of very
 * many some are looked at, and who is an owner among the first members: where these are no owners, looking at all would take too long.
 * `target` is always among them.
 */
export async function listOwners(tx: Tx, ownersMax: number, target?: Owner): Promise<Owner[]> {
  const owners = await findOwners(tx, ownersMax)
  const isMissing = target && !owners.some(({ id }) => id === target.id)
  return withRestorable(tx, isMissing ? [...owners, target] : owners)
}

const findOwners = statement<Owner, [ownersMax: number]>(OWNERS)

/**
 * Each also by the addresses that can still take the account back: otherwise who has just changed it would be the only one who hears.
 */
export async function withRestorable<Reader extends Pick<Owner, 'id' | 'email' | 'is_verified'>>(
  tx: Tx,
  readers: Reader[],
): Promise<Reader[]> {
  const restorable = await findRestorable(
    tx,
    readers.map(({ id }) => id),
  )
  return [
    ...readers,
    ...restorable.flatMap((found) =>
      readers.filter(({ id }) => id === found.id).map((reader) => ({ ...reader, ...found, is_former: true })),
    ),
  ]
}

const findRestorable = statement<Pick<Owner, 'id' | 'email' | 'is_verified'>, [ids: readonly string[]]>(
  'select id, email, is_verified from restorable_addresses($1)',
)

/** With those who were owners within the last 7 days: who takes a company over makes them none first. */
export async function listRecentOwners(tx: Tx, ownersMax: number): Promise<Owner[]> {
  const [owners, former] = await Promise.all([findOwners(tx, ownersMax), findFormerOwners(tx, ownersMax)])
  const known = new Set(owners.map(({ id }) => id))
  const others = former.filter(({ id }) => !known.has(id))
  return withRestorable(tx, [...owners, ...others])
}

/** Whether the current company is among the first ones of the account: see functions/joined_first.sql. */
export async function isJoinedFirst(tx: Tx, accountId: string): Promise<boolean> {
  const [found] = await findJoinedFirst(tx, accountId)
  return found?.isFirst === true
}

const findJoinedFirst = statement<{ isFirst: boolean }, [accountId: string]>('select joined_first($1) as "isFirst"')

const findFormerOwners = statement<Owner, [ownersMax: number]>(
  'select id, email, name, locale, is_verified, is_joined_first from find_former_owners($1)',
)
