import type { TestDatabase } from './database.ts'

/** Words whose members are many, few, and none: `common` one of three members, `rare` one of a thousand. */
const NAME = `case when n % 1000 = 7 then 'rare ' when n % 3 = 0 then 'common ' else 'person ' end || n`

/** Adds members to a company by bulk statements, without triggers: each holds its role `member`, one in twenty is inactive. */
export async function fillCompany(db: TestDatabase, companyId: string, members: number): Promise<void> {
  await withoutTriggers(db, [
    `create temporary table people as
       select gen_random_uuid() as id, ${NAME} as name, 'member.' || n || '@example.test' as email, n
       from generate_series(1, ${members}) n`,
    'insert into accounts (id, email, name, name_folded) select id, email, name, name from people',
    `insert into memberships (company_id, account_id, status, name, name_folded, email, search, created_at)
       select '${companyId}', id, case when n % 20 = 0 then 'inactive' else 'active' end, name, name, email,
         name || ' ' || email, now() - n * interval '1 second'
       from people`,
    `insert into membership_roles (company_id, account_id, role_id)
       select '${companyId}', people.id, roles.id
       from people join roles on roles.company_id = '${companyId}' and roles.system_key = 'member'`,
    `insert into role_counters (company_id, role_id, members)
       select company_id, role_id, count(*) from membership_roles where company_id = '${companyId}' group by 1, 2
       on conflict (company_id, role_id) do update set members = excluded.members`,
    `update company_counters set (active_members, inactive_members) = (
       select count(*) filter (where status = 'active'), count(*) filter (where status = 'inactive')
       from memberships where company_id = '${companyId}')
     where company_id = '${companyId}'`,
    'drop table people',
  ])
}

/** Adds companies of three members with all that the service keeps about them, by bulk statements, without triggers. */
export async function addCompanies(db: TestDatabase, companies: number): Promise<void> {
  await withoutTriggers(db, [
    `create temporary table made as
       select gen_random_uuid() as id, 'company-' || n as name from generate_series(1, ${companies}) n`,
    `insert into companies (id, name, name_folded, slug, tax_id) select id, name, name, name, 'T' from made`,
    'insert into slugs (slug, reserved_for) select name, id from made',
    'insert into company_counters (company_id, active_members) select id, 3 from made',
    `insert into roles (company_id, id, name, name_folded, permissions, system_key)
       select made.id, gen_random_uuid(), key, key, '{users:read}', key
       from made, unnest('{owner,admin,manager,member}'::text[]) key`,
    `create temporary table people as
       select gen_random_uuid() as id, made.id as company_id, 'person ' || n || ' of ' || made.name as name, n,
         n || '@' || made.name || '.test' as email
       from made, generate_series(1, 3) n`,
    'insert into accounts (id, email, name, name_folded, opened_companies) select id, email, name, name, 1 from people',
    `insert into memberships (company_id, account_id, opened_at, name, name_folded, email, search)
       select company_id, id, now(), name, name, email, name || ' ' || email from people`,
    `insert into membership_roles (company_id, account_id, role_id)
       select company_id, people.id, roles.id from people join roles using (company_id)
       where system_key = case n when 1 then 'owner' else 'member' end`,
    `insert into role_counters (company_id, role_id, members)
       select company_id, role_id, count(*) from membership_roles group by 1, 2 on conflict do nothing`,
    `insert into sessions (id, account_id, refresh_id, refresh_expires_at, ip, expires_at)
       select gen_random_uuid(), id, gen_random_uuid(), now() + interval '7 days', '127.0.0.1', now() + interval '30 days'
       from people`,
    `insert into passwords (account_id, kind, hash) select id, 'chosen', 'x' from people`,
    `insert into known_networks (account_id, network) select id, '127.0.0.1/32' from people`,
    `insert into branches (company_id, id, name, name_key, name_folded)
       select id, gen_random_uuid(), 'HQ', 'hq', 'hq' from made`,
    `insert into membership_branches (company_id, account_id, branch_id)
       select company_id, people.id, branches.id from people join branches using (company_id)`,
    `insert into audit_records (id, company_id, seq, hash, action, outcome, target_type, created_at)
       select gen_random_uuid(), made.id, seq, '', 'users.add', 'done', 'user', now() from made, generate_series(1, 3) seq`,
    `insert into audit_heads select id, 1, 3, '', 0, '', 0, now(), 'kid', '' from made`,
    'insert into audit_checkpoints select * from audit_heads',
    'insert into audit_settings (company_id, retention_days) select id, 365 from made',
    `insert into emails (id, kind, recipient_email, recipient_name, expires_at, status, finished_at)
       select gen_random_uuid(), 'temporary_password', email, name, now(), 'sent', now() from people`,
    'drop table made, people',
  ])
}

async function withoutTriggers(db: TestDatabase, statements: string[]): Promise<void> {
  await db.query('set session_replication_role = replica')
  for (const statement of statements) await db.query(statement)
  await db.query('set session_replication_role = origin')
  await db.query('analyze')
}

/** Rows that statements of this database have read one after the other, for each table with more than a few rows. */
export async function rowsScanned(db: TestDatabase): Promise<Record<string, number>> {
  await db.query('select pg_stat_force_next_flush()')
  const rows = await db.query<{ name: string; scanned: number }>(
    `select pg_class.relname as name, seq_tup_read::float as scanned from pg_stat_user_tables
     join pg_class on pg_class.oid = relid where reltuples > 1000`,
  )
  return Object.fromEntries(rows.map(({ name, scanned }) => [name, scanned]))
}
