import type { TestDatabase } from '../test/support/database.ts'
import type { Violation } from './response-checks.ts'

/** Invariants of the database: each query finds the rows that violate one. Every new feature adds its own. */
export const invariants: Record<string, string> = {
  'every company that is not deleted has an active owner who has opened it': `
    select companies.id from companies where deleted_at is null and not exists (
      select from membership_roles
      join roles on roles.company_id = membership_roles.company_id and roles.id = membership_roles.role_id
      join memberships on memberships.company_id = membership_roles.company_id
        and memberships.account_id = membership_roles.account_id
      where membership_roles.company_id = companies.id and roles.system_key = 'owner'
        and memberships.status = 'active' and memberships.opened_at is not null)`,
  'every member has a role': `
    select company_id, account_id from memberships where not exists (
      select from membership_roles where membership_roles.company_id = memberships.company_id
        and membership_roles.account_id = memberships.account_id)`,
  'a role of a member is a role of the same company': `
    select membership_roles.* from membership_roles left join roles
      on roles.id = membership_roles.role_id and roles.company_id = membership_roles.company_id
    where roles.id is null`,
  'only members have roles': `
    select membership_roles.* from membership_roles left join memberships
      on memberships.company_id = membership_roles.company_id and memberships.account_id = membership_roles.account_id
    where memberships.account_id is null`,
  'a membership belongs to an existing account and company': `
    select memberships.* from memberships
    left join accounts on accounts.id = memberships.account_id left join companies on companies.id = memberships.company_id
    where accounts.id is null or companies.id is null`,
  'every company has its four system roles, unchanged': `
    select companies.id from companies
    join roles on roles.company_id = companies.id and roles.system_key is not null and roles.replaced_by is null
    group by companies.id
    having count(*) <> 4 or array_agg(roles.name order by roles.name) <> '{Admin,Manager,Member,Owner}'`,
  'the system roles of all companies grant the same permissions': `
    select system_key from roles where system_key is not null group by system_key
    having count(distinct permissions) > 1`,
  'member counters equal the numbers of members': `
    select company_id from company_counters full join (
      select company_id, count(*) filter (where status = 'active') as active,
        count(*) filter (where status = 'inactive') as inactive
      from memberships group by company_id) counted using (company_id)
    where coalesce(active_members, 0) <> coalesce(active, 0) or coalesce(inactive_members, 0) <> coalesce(inactive, 0)`,
  'memberships have the current name and address of their account': `
    select account_id from memberships join accounts on accounts.id = memberships.account_id
    where memberships.name_folded <> accounts.name_folded or memberships.email <> accounts.email`,
  'an account that has to change its password has only a temporary one': `
    select accounts.id from accounts join passwords on passwords.account_id = accounts.id and passwords.kind = 'chosen'
    where accounts.must_change_password`,
  'the company that manages an account has it as a member': `
    select accounts.id from accounts where managed_by is not null and not exists (
      select from memberships where company_id = managed_by and account_id = accounts.id)`,
  'an opened membership and one of a verified account await no verification': `
    select company_id, account_id from memberships join accounts on accounts.id = account_id
    where awaits_verification and (opened_at is not null or email_verified_at is not null)`,
  'after a password was shown, unopened memberships await verification, except in the managing company': `
    select company_id, account_id from memberships join accounts on accounts.id = account_id
    where password_shown_at is not null and opened_at is null
      and awaits_verification <> (managed_by is distinct from company_id)`,
  'an account whose password was shown is not verified': `
    select id from accounts where password_shown_at is not null and email_verified_at is not null`,
  'opened companies are counted': `
    select accounts.id from accounts left join memberships on memberships.account_id = accounts.id
    group by accounts.id having opened_companies <> count(opened_at)`,
  'a membership records whether its company created the account': `
    select company_id, account_id from memberships join accounts on accounts.id = account_id
    where created_account <> (managed_by is not distinct from company_id)`,
  'a verification link belongs to the pending address': `
    select one_time_links.id from one_time_links join accounts on accounts.id = one_time_links.account_id
    where purpose = 'change_email' and pending_email is distinct from one_time_links.email`,
  'an account has a second factor exactly while one is confirmed': `
    select id from accounts where has_second_factor <> exists (
      select from second_factors where account_id = accounts.id and confirmed_at is not null)`,
  'a membership shows whether its opened account has a second factor': `
    select company_id, account_id from memberships join accounts on accounts.id = account_id
    where second_factor <> (has_second_factor and (opened_at is not null or created_account))`,
  'only an account with a second factor has recovery codes': `
    select distinct account_id from recovery_codes join accounts on accounts.id = account_id where not has_second_factor`,
  'no account is asked for more than ten second factors an hour, and five in sessions': `
    select account_id from second_factor_attempts where cardinality(times) > case purpose when 'sign_in' then 10 else 5 end`,
  'no audit record or email contains a secret': `
    select id::text from audit_records where audit_records::text ~* '(correct|another|third)-horse|\\$argon2|eyJ[a-z0-9_-]{20}'
    union all
    select id::text from emails where emails::text ~* '(correct|another|third)-horse|\\$argon2|eyJ[a-z0-9_-]{20}'`,
  'an email that counts for its sender names it': `
    select id from emails where sender_account_id is null
      and kind in ('change_email', 'temporary_password', 'password_reset', 'added_to_company', 'invitation', 'ownership_offered')`,
  'a pending invitation gives a role': `
    select id from invitations where status = 'pending' and not exists (
      select from invitation_roles where invitation_roles.invitation_id = invitations.id)`,
  'an accepted invitation has its record, or one that says how its account came into the company': `
    select company_id, id from invitations where status = 'accepted' and not exists (
      select from audit_records
      where audit_records.company_id = invitations.company_id and outcome = 'done' and (
        target_id = invitations.id::text and action = 'invitations.accept'
        or target_id = accepted_by::text and action in ('users.add', 'users.join', 'join_requests.approve')
        or actor_id = accepted_by and action = 'companies.create'))`,
  'no pending invitation is to the address of a member': `
    select invitations.company_id, id from invitations join memberships using (company_id, email)
    where invitations.status = 'pending' and expires_at > now()`,
  'a link is not used more often than it allows': `select id from invitation_links where uses > max_uses`,
  'no account has an address that another one can restore': `
    select accounts.id from accounts join email_change_undos on email_change_undos.email = accounts.email
    where account_id <> accounts.id and is_reserved and expires_at > now()`,
  'an undo restores an address that its account had before': `
    select email_change_undos.id from email_change_undos join accounts on accounts.id = account_id
    where email_change_undos.credentials_version > accounts.credentials_version`,
  'a request for a link shows no address': `
    select id from link_requests where position('example'::bytea in encrypted_email) > 0`,
  'a record of a company is about that company': `
    select audit_records.id from audit_records left join companies on companies.id = audit_records.company_id
    where audit_records.company_id is not null and companies.id is null`,
}

/** A purged company leaves no rows in any table. */
export async function orphans(db: TestDatabase): Promise<Record<string, string>> {
  const tables = await db.query<{ name: string }>(`
    select relname as name from pg_class join pg_attribute on attrelid = pg_class.oid and attname = 'company_id'
    where relnamespace = 'public'::regnamespace and relkind = 'r'`)
  const rules = tables.map(({ name }) => [
    `${name} have their company`,
    `select company_id from ${name} where company_id is not null and company_id not in (select id from companies)`,
  ])
  return Object.fromEntries(rules)
}

export async function brokenInvariants(db: TestDatabase, rules = invariants): Promise<Violation[]> {
  const violations: Violation[] = []
  for (const [name, query] of Object.entries(rules)) {
    const rows = await db.query(query)
    if (rows.length > 0) violations.push({ rule: `invariant: ${name}`, about: JSON.stringify(rows.slice(0, 3)) })
  }
  return violations
}

/** No row refers to a row of another company: checked for every foreign key between tables with a company. */
export async function crossReferences(db: TestDatabase): Promise<Record<string, string>> {
  const keys = await db.query<{ from_table: string; to_table: string; columns: string[]; targets: string[] }>(`
    select c.conrelid::regclass::text as from_table, c.confrelid::regclass::text as to_table,
      array(select attname::text from unnest(c.conkey) with ordinality k (n, o) join pg_attribute a
        on a.attrelid = c.conrelid and a.attnum = k.n order by o) as columns,
      array(select attname::text from unnest(c.confkey) with ordinality k (n, o) join pg_attribute a
        on a.attrelid = c.confrelid and a.attnum = k.n order by o) as targets
    from pg_constraint c
    where c.contype = 'f' and c.connamespace = 'public'::regnamespace
      and exists (select from pg_attribute where attrelid = c.conrelid and attname = 'company_id')
      and exists (select from pg_attribute where attrelid = c.confrelid and attname = 'company_id')`)
  const rules = keys.flatMap(({ from_table, to_table, columns, targets }) => {
    const own = columns.flatMap((column, index) => (column === 'company_id' ? [] : [[column, targets[index]]]))
    if (own.length === 0) return []
    const condition = own.map(([column, target]) => `a.${column} = b.${target}`).join(' and ')
    const foreign = `a.company_id is distinct from b.company_id and not exists (
      select from ${to_table} c where ${condition.replaceAll('b.', 'c.')} and c.company_id = a.company_id)`
    const query = `select a.company_id from ${from_table} a join ${to_table} b on ${condition} where ${foreign}`
    return [[`${from_table} refers to its own company's ${to_table}`, query] as const]
  })
  return Object.fromEntries(rules)
}
