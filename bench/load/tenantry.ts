import type pg from 'pg'
import { inBulk } from '../../scripts/seed/bulk.ts'
import { countMembers, insertMemberships } from '../../scripts/seed/memberships.ts'
import { idOf } from '../../scripts/seed/people.ts'
import { systemRoles } from '../../src/access/system-roles.ts'
import { nameColumns } from '../../src/features/roles/names.ts'
import { folded } from '../../src/lib/text.ts'
import type { Sizes } from './sizes.ts'

const TABLES = ['accounts', 'companies', 'slugs', 'roles', 'memberships', 'membership_roles']

/** Loads what is planned into Tenantry's tables. `passwordHash` is the password of the people who send requests. */
export async function loadTenantry(client: pg.Client, sizes: Sizes, passwordHash: string): Promise<void> {
  await inBulk(client, TABLES, async () => {
    await insertAccounts(client)
    await insertCompanies(client)
    await createMemberships(client)
  })
  await client.query(
    `insert into passwords (account_id, kind, hash) select id, 'chosen', $1 from people where n <= ${sizes.people}`,
    [passwordHash],
  )
  await client.query('vacuum (freeze, analyze)')
}

async function insertAccounts(client: pg.Client): Promise<void> {
  await client.query(
    `insert into accounts (id, email, name, name_folded, phone, email_verified_at, opened_companies, created_at, updated_at)
     select id, email, name, name_folded, '+34 600 ' || lpad(n::text, 7, '0'), timestamptz '2026-01-02',
       coalesce(opened, 0), timestamptz '2026-01-01', timestamptz '2026-01-01'
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
     select planned_roles.company_id, people.id as account_id, role_id, name_folded, email, status,
       case when n % 3 = 0 then '+34 910 ' || lpad(n::text, 7, '0') else '' end as phone,
       case when opened then created_at end as opened_at, created_at
     from planned_members join people using (n)
     join planned_roles on planned_roles.c = planned_members.c and planned_roles.role ->> 'key' = planned_members.role
     order by company_id, account_id`,
  )
  await insertMemberships(client, 'seeded')
  await countMembers(client, 'select id from companies')
}
