import type pg from 'pg'
import { systemRoles } from '../../src/access/system-roles.ts'
import { inBulk } from '../../src/cli/seed/bulk.ts'
import { countMembers, insertMemberships } from '../../src/cli/seed/memberships.ts'
import { idOf } from '../../src/cli/seed/people.ts'
import { nameColumns } from '../../src/features/roles/names.ts'
import { folded } from '../../src/lib/text.ts'

const TABLES = [
  ...['accounts', 'companies', 'slugs', 'roles', 'memberships', 'membership_roles'],
  ...['passwords', 'sessions', 'known_networks'],
]

/** Loads what is planned into Tenantry's tables. `passwordHash` is of the one password that all have. */
export async function loadTenantry(client: pg.Client, passwordHash: string): Promise<void> {
  await inBulk(client, TABLES, async () => {
    await insertAccounts(client)
    await insertCompanies(client)
    await createMemberships(client)
    await createSessions(client, passwordHash)
  })
  await client.query('vacuum (freeze, analyze)')
}

async function insertAccounts(client: pg.Client): Promise<void> {
  await client.query(
    `insert into accounts (id, email, name, name_folded, phone, email_verified_at, opened_companies, credentials_version,
       created_at, updated_at)
     select id, email, name, name_folded, '+34 600 ' || lpad(n::text, 7, '0'), timestamptz '2026-01-02',
       coalesce(opened, 0), signs_in::integer, timestamptz '2026-01-01', timestamptz '2026-01-01'
     from people left join (
       select n, count(*) as opened from planned_members where opened group by n) as counted using (n)
     order by n`,
  )
}

async function insertCompanies(client: pg.Client): Promise<void> {
  await client.query(
    `insert into companies (id, name, name_folded, slug, tax_id, created_at, updated_at)
     select company_id, name, lower(name), slug, 'T-' || c, created_at, created_at from planned_companies order by c`,
  )
  await client.query('insert into slugs (slug, reserved_for) select slug, company_id from planned_companies')
  const roles = systemRoles.map(({ key, name, description, permissions }) => ({
    ...nameColumns(name),
    key,
    description,
    search: folded(`${name} ${description}`),
    permissions,
  }))
  await client.query(
    `create temp table planned_roles as
     select company_id, c, ${idOf('c * 4 + place', 3)} as role_id, role
     from planned_companies, jsonb_array_elements('${JSON.stringify(roles).replaceAll("'", "''")}')
       with ordinality as listed (role, place)`,
  )
  await client.query(
    `insert into roles (company_id, id, name, name_folded, name_skeleton, name_shape, description, search, permissions,
       system_key)
     select company_id, role_id, role ->> 'name', role ->> 'name_folded', role ->> 'name_skeleton', role ->> 'name_shape',
       role ->> 'description', role ->> 'search',
       array(select jsonb_array_elements_text(role -> 'permissions')), role ->> 'key'
     from planned_roles order by role_id`,
  )
}

async function createMemberships(client: pg.Client): Promise<void> {
  await client.query(
    `create temp table seeded as
     select planned_roles.company_id, people.id as account_id, role_id, people.name, name_folded, email, status,
       '+34 600 ' || lpad(n::text, 7, '0') as account_phone,
       case when n % 3 = 0 then '+34 910 ' || lpad(n::text, 7, '0') else '' end as phone,
       case when opened then created_at end as opened_at, created_at
     from planned_members join people using (n)
     join planned_roles on planned_roles.c = planned_members.c and planned_roles.role ->> 'key' = planned_members.role
     order by company_id, account_id`,
  )
  await insertMemberships(client, 'seeded')
  await countMembers(client, 'select id from companies')
}

/** Of those who sign in: tables without rows would have plans that are wrong as soon as they have some. */
async function createSessions(client: pg.Client, passwordHash: string): Promise<void> {
  await client.query(
    `insert into passwords (account_id, kind, hash) select id, 'chosen', $1 from people where signs_in order by n`,
    [passwordHash],
  )
  await client.query(
    `insert into sessions (id, account_id, refresh_id, refresh_expires_at, expires_at, credentials_version, ip, user_agent)
     select ${idOf('n', 6)}, id, ${idOf('n', 7)}, now() + interval '7 days', now() + interval '30 days', 1, '192.0.2.1',
       'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'
     from people where signs_in order by n`,
  )
  await client.query(
    `insert into known_networks (account_id, network) select id, '192.0.2.1/32' from people where signs_in order by n`,
  )
}
