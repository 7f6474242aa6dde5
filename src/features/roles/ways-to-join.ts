import { sql } from 'kysely'
import type { Tx } from '../../database/open.ts'

/**
 * Pending invitations, links that still work, and domains whose people get the role. Without the role people who join would get
 * `Member` instead, which may give more, and only an owner chooses that.
 */
export async function countWaysToJoin(tx: Tx, roleId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select (
      select count(*) from invitation_roles join invitations on invitations.id = invitation_id
      where role_id = ${roleId} and status = 'pending' and expires_at > now()
    ) + (
      select count(*) from invitation_link_roles join invitation_links on invitation_links.id = link_id
      where role_id = ${roleId} and revoked_at is null and expires_at > now() and uses < max_uses
    ) + (select count(*) from company_domain_roles where role_id = ${roleId}) as count`.execute(tx)
  return rows[0]?.count ?? 0
}
