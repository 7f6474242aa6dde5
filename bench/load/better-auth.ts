import type pg from 'pg'
import { inBulk } from '../../src/cli/seed/bulk.ts'
import { idOf } from '../../src/cli/seed/people.ts'

const TABLES = ['"user"', 'account', 'session', 'organization', 'member']

/**
 * Loads what is planned into the tables that better-auth's own migrations have made: its roles are owner, admin and
 * member. `passwordHash` is its hash of the one password.
 */
export async function loadBetterAuth(client: pg.Client, passwordHash: string): Promise<void> {
  await inBulk(client, TABLES, async () => {
    await client.query(
      `insert into "user" (id, name, email, "emailVerified", "createdAt", "updatedAt")
       select id, name, email, true, timestamptz '2026-01-01', timestamptz '2026-01-01' from people order by n`,
    )
    await client.query(
      `insert into account (id, "accountId", "providerId", "userId", password, "createdAt", "updatedAt")
       select id, id, 'credential', id, $1, timestamptz '2026-01-01', timestamptz '2026-01-01'
       from people where signs_in order by n`,
      [passwordHash],
    )
    await client.query(
      `insert into session (id, token, "userId", "expiresAt", "createdAt", "updatedAt")
       select ${idOf('n', 6)}, ${idOf('n', 7)}, id, now() + interval '7 days', now(), now()
       from people where signs_in order by n`,
    )
    await client.query(
      `insert into organization (id, name, slug, "createdAt")
       select company_id, name, slug, created_at from planned_companies order by c`,
    )
    await client.query(
      `insert into member (id, "organizationId", "userId", role, "createdAt")
       select ${idOf('c::bigint * 10000000 + n', 4)}, company_id, people.id,
         case role when 'manager' then 'admin' else role end, planned_members.created_at
       from planned_members join people using (n) join planned_companies using (c) order by c, n`,
    )
  })
  await client.query('vacuum (freeze, analyze)')
}
