import { type RawBuilder, sql } from 'kysely'
import type { Role } from '../../access/roles.ts'
import { likePattern } from '../../database/like.ts'
import type { Tx } from '../../database/open.ts'
import { findPage } from '../../database/paging.ts'
import type { Page } from '../../lib/paging.ts'
import { problem } from '../../problems.ts'
import type { Branch } from '../members/member-branches.ts'
import type { Invitation, InvitationQuery } from './schemas.ts'

export async function listInvitations(tx: Tx, query: InvitationQuery): Promise<Page<Invitation>> {
  const { search, status, sortBy, sortDir } = query
  const matching = tx
    .selectFrom('invitations')
    .$if(search !== undefined && search !== '', (found) => found.where('search', 'like', likePattern(search as string)))
    .$if(status !== undefined, (found) => found.where(shownStatus, '=', status as Invitation['status']))
  return findPage(matching, query, (found, total) =>
    found.select(columns).select(total.as('total')).orderBy(`invitations.${sortBy}`, sortDir).orderBy('id', sortDir),
  )
}

/** The only way to read one invitation, because its ETag is made from this. */
export async function getInvitation(tx: Tx, id: string): Promise<Invitation> {
  const invitation = await tx.selectFrom('invitations').select(columns).where('id', '=', id).executeTakeFirst()
  if (!invitation) throw problem('invitation_not_found')
  return invitation
}

/** What a person gets by accepting. A replaced role is the one that replaces it. */
export async function findInvitedRoles(tx: Tx, id: string): Promise<Role[]> {
  const { rows } = await sql<Role>`
    select distinct on (coalesce(replaced_by, roles.id)) coalesce(replaced_by, roles.id) as id, name, permissions, system_key
    from invitation_roles join roles on roles.id = invitation_roles.role_id
    where invitation_id = ${id}`.execute(tx)
  return rows
}

export async function findInvitedBranches(tx: Tx, id: string): Promise<(Branch & { status: 'active' | 'inactive' })[]> {
  return tx
    .selectFrom('invitation_branches')
    .innerJoin('branches', 'branches.id', 'invitation_branches.branch_id')
    .select(['branches.id', 'branches.name', 'branches.status'])
    .where('invitation_id', '=', id)
    .execute()
}

/** Called under the company’s lock, for an invitation that exists. */
export async function setInvitedRoles(tx: Tx, id: string, roles: readonly { id: string }[]): Promise<void> {
  await Promise.all([
    tx.deleteFrom('invitation_roles').where('invitation_id', '=', id).execute(),
    tx
      .insertInto('invitation_roles')
      .values(roles.map((role) => ({ invitation_id: id, role_id: role.id })))
      .execute(),
  ])
}

export async function setInvitedBranches(tx: Tx, id: string, branches: readonly { id: string }[]): Promise<void> {
  await Promise.all([
    tx.deleteFrom('invitation_branches').where('invitation_id', '=', id).execute(),
    branches.length > 0 &&
      tx
        .insertInto('invitation_branches')
        .values(branches.map((branch) => ({ invitation_id: id, branch_id: branch.id })))
        .execute(),
  ])
}

/** From the moment on in which it expires, whether its row says so or not. */
const shownStatus: RawBuilder<Invitation['status']> = sql`
  case when invitations.status = 'pending' and expires_at <= now() then 'expired' else invitations.status end`

const roles = sql<Invitation['roles']>`(
  select coalesce(jsonb_agg(jsonb_build_object('id', held.id, 'name', held.name) order by held.name, held.id), '[]')
  from (
    select distinct coalesce(roles.replaced_by, roles.id) as id, roles.name
    from invitation_roles join roles on roles.id = invitation_roles.role_id
    where invitation_roles.invitation_id = invitations.id
  ) held)`

const branchIds = sql<string[]>`array(
  select branch_id from invitation_branches where invitation_branches.invitation_id = invitations.id order by branch_id)`

const inviter = sql<Invitation['inviter']>`(
  select jsonb_build_object('id', account_id, 'name', memberships.name)
  from memberships where account_id = invitations.inviter_id)`

const columns = [
  'invitations.id',
  'invitations.email',
  'invitations.name',
  'invitations.locale',
  roles.as('roles'),
  branchIds.as('branchIds'),
  shownStatus.as('status'),
  inviter.as('inviter'),
  'invitations.created_at',
  'invitations.expires_at',
  'invitations.sent_at',
  'invitations.resent',
  sql<string | null>`case when invitations.status <> 'expired' then finished_at end`.as('finished_at'),
] as const
