import { type RawBuilder, sql } from 'kysely'
import type { CompanyActor } from '../../access/actors.ts'
import { assertCanActOn, assertCanGrant, authorityOf } from '../../access/authority.ts'
import { assertCanGive } from '../../access/freshness.ts'
import { findRolesById, getMemberRole, type Role } from '../../access/roles.ts'
import type { Tx } from '../../database/open.ts'
import { findPage } from '../../database/paging.ts'
import { newId } from '../../lib/ids.ts'
import type { Page } from '../../lib/paging.ts'
import { hashOfToken, randomToken } from '../../lib/secrets.ts'
import { problem } from '../../problems.ts'
import { record } from '../audit/records.ts'
import { invitationLinkSubject } from '../audit/subjects.ts'
import {
  type CreatedInvitationLink,
  type InvitationLink,
  type InvitationLinkQuery,
  type NewInvitationLink,
  VALID_DAYS_DEFAULT,
} from './schemas.ts'

const ACTIVE_MAX = 50

/** The token is shown this once, and only its hash is stored. */
export async function createLink(
  tx: Tx,
  actor: CompanyActor,
  { roleIds = [], maxUses = 1, expiresInDays = VALID_DAYS_DEFAULT, allowedDomains = [] }: NewInvitationLink,
): Promise<CreatedInvitationLink> {
  const { roles, isOneUnknown } = await (roleIds.length > 0 ? findRolesById(tx, roleIds) : getMemberRole(tx))
  assertCanGrant(actor, roles)
  if (isOneUnknown) throw problem('role_unknown')
  if ((await countActive(tx)) >= ACTIVE_MAX) throw problem('invitation_limit_reached')
  await assertCanGive(tx, actor, roles)

  const [id, token] = [newId(), randomToken()]
  await tx
    .insertInto('invitation_links')
    .values({
      id,
      token_hash: hashOfToken(token),
      creator_id: actor.accountId,
      max_uses: maxUses,
      allowed_domains: [...new Set(allowedDomains)].sort(),
      expires_at: sql`now() + make_interval(days => ${expiresInDays})`,
    })
    .execute()
  await tx
    .insertInto('invitation_link_roles')
    .values(roles.map((role) => ({ link_id: id, role_id: role.id })))
    .execute()
  await record(tx, actor, 'invitation_links.create', invitationLinkSubject({ id }), {
    roles: { to: roles.map(({ name }) => name) },
    uses: { to: maxUses },
    days: { to: expiresInDays },
    ...(allowedDomains.length > 0 && { domains: { to: allowedDomains } }),
  })
  return { ...(await getLink(tx, id)), token }
}

export async function listLinks(tx: Tx, query: InvitationLinkQuery): Promise<Page<InvitationLink>> {
  const { sortBy, sortDir } = query
  return findPage(tx.selectFrom('invitation_links'), query, (found, total) =>
    found
      .select(columns)
      .select(total.as('total'))
      .orderBy(`invitation_links.${sortBy}`, sortDir)
      .orderBy('id', sortDir),
  )
}

export async function getLink(tx: Tx, id: string): Promise<InvitationLink> {
  const link = await tx.selectFrom('invitation_links').select(columns).where('id', '=', id).executeTakeFirst()
  if (!link) throw problem('invitation_link_not_found')
  return link
}

export async function revokeLink(tx: Tx, actor: CompanyActor, id: string): Promise<{ id: string }> {
  const link = await getLink(tx, id)
  assertCanActOn(actor, authorityOf(await findLinkRoles(tx, id)))
  if (link.status !== 'active') throw problem('invitation_not_pending')

  await tx.updateTable('invitation_links').set({ revoked_at: sql`now()` }).where('id', '=', id).execute()
  await record(tx, actor, 'invitation_links.revoke', invitationLinkSubject({ id }))
  return { id }
}

/** A replaced role is the one that replaces it. */
export async function findLinkRoles(tx: Tx, id: string): Promise<Role[]> {
  const { rows } = await sql<Role>`
    select distinct on (coalesce(replaced_by, roles.id)) coalesce(replaced_by, roles.id) as id, name, permissions, system_key
    from invitation_link_roles join roles on roles.id = role_id where link_id = ${id}`.execute(tx)
  return rows
}

const IS_ACTIVE = sql<boolean>`revoked_at is null and expires_at > now() and uses < max_uses`

async function countActive(tx: Tx): Promise<number> {
  const { count } = await tx
    .selectFrom('invitation_links')
    .select((links) => links.fn.countAll<number>().as('count'))
    .where(IS_ACTIVE)
    .executeTakeFirstOrThrow()
  return count
}

const status: RawBuilder<InvitationLink['status']> = sql`case
  when revoked_at is not null then 'revoked' when uses >= max_uses then 'used_up' when expires_at <= now() then 'expired'
  else 'active' end`

const roles = sql<InvitationLink['roles']>`(
  select coalesce(jsonb_agg(jsonb_build_object('id', held.id, 'name', held.name) order by held.name, held.id), '[]')
  from (
    select distinct coalesce(roles.replaced_by, roles.id) as id, roles.name
    from invitation_link_roles join roles on roles.id = invitation_link_roles.role_id
    where invitation_link_roles.link_id = invitation_links.id
  ) held)`

const creator = sql<InvitationLink['creator']>`(
  select jsonb_build_object('id', account_id, 'name', memberships.name)
  from memberships where account_id = invitation_links.creator_id)`

const columns = [
  'invitation_links.id',
  roles.as('roles'),
  'max_uses as maxUses',
  'uses',
  'allowed_domains as allowedDomains',
  status.as('status'),
  creator.as('creator'),
  'invitation_links.created_at',
  'invitation_links.expires_at',
] as const
