/** Invariants of the data of a company; see invariants.ts. */
export const companyInvariants: Record<string, string> = {
  'branches are trees of at most eight levels, each in one company': `
    with recursive climbed as (
      select company_id, id, parent_id, 1 as levels from branches
      union all
      select climbed.company_id, climbed.id, branches.parent_id, levels + 1
      from climbed join branches on branches.company_id = climbed.company_id and branches.id = climbed.parent_id
      where levels < 20)
    select company_id, id from climbed group by company_id, id
    having max(levels) > 8 or not bool_or(parent_id is null)`,
  'members belong to branches of their own company': `
    select membership_branches.* from membership_branches
    left join branches using (company_id) left join memberships using (company_id, account_id)
    group by membership_branches.company_id, membership_branches.account_id, branch_id
    having not coalesce(bool_or(branches.id = branch_id), false) or count(memberships.account_id) = 0`,
  'holders of roles are counted': `
    select role_id from role_counters full join (
      select roles.company_id, coalesce(replaced_by, id) as role_id, count(distinct account_id) as held
      from membership_roles join roles on roles.id = membership_roles.role_id group by 1, 2) counted
      using (company_id, role_id)
    where coalesce(members, 0) <> coalesce(held, 0)`,
  'a pending request to join is for the verified address of an account that is no member': `
    select join_requests.id from join_requests join accounts on accounts.id = account_id
    where declined_at is null and (join_requests.email <> accounts.email or email_verified_at is null or exists (
      select from memberships where memberships.company_id = join_requests.company_id
        and memberships.account_id = join_requests.account_id))`,
  'the audit log says how each member came into the company': `
    select company_id, account_id from memberships where not exists (
      select from audit_records where audit_records.company_id = memberships.company_id and outcome = 'done' and (
        action in ('users.add', 'users.join', 'join_requests.approve') and target_id = account_id::text
        or action = 'companies.create' and actor_id = account_id))`,
  'no member is a former member': `
    select company_id, account_id from former_members join memberships using (company_id, account_id)`,
  'every company has member counters': `
    select id from companies where id not in (select company_id from company_counters)`,
  'an ownership offer can be accepted unless it has expired': `
    select ownership_offers.company_id from ownership_offers
    join companies on companies.id = ownership_offers.company_id
    left join lateral (
      select memberships.status = 'active' and memberships.opened_at is not null
        and bool_or(roles.system_key is not distinct from 'owner') as fits
      from memberships join membership_roles using (company_id, account_id)
      join roles on roles.company_id = memberships.company_id and roles.id = role_id
      where memberships.company_id = companies.id and account_id = from_id
      group by memberships.company_id, memberships.account_id) giver on true
    left join lateral (
      select memberships.status = 'active' and not memberships.awaits_verification
        and not bool_or(roles.system_key is not distinct from 'owner') as fits
      from memberships join membership_roles using (company_id, account_id)
      join roles on roles.company_id = memberships.company_id and roles.id = role_id
      where memberships.company_id = companies.id and account_id = to_id
      group by memberships.company_id, account_id) receiver on true
    where deleted_at is not null or giver.fits is not true or receiver.fits is not true`,
  "a company's slug is reserved for it": `
    select companies.id from companies left join slugs on slugs.slug = companies.slug
    where reserved_for is distinct from companies.id or reserved_until is not null`,
  'a slug in use belongs to a company': `
    select slug from slugs where reserved_until is null and slug not in (select slug from companies)`,
  'no name has invisible characters': String.raw`
    select name from (
      select name from accounts union all select name from companies union all select name from roles
      union all select name from branches) names
    where name ~ '[\u00ad\u034f\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\U000E0000-\U000E00FF]'`,
  'no idempotency key is left without a stored response': `
    select encode(id, 'hex') from idempotent_requests where status is null`,
  'sealed records are consecutive, from the start of the chain to its head': `
    select company_id, begins_seq, audit_heads.seq from audit_heads
    left join audit_records using (company_id)
    group by company_id, begins_seq, audit_heads.seq
    having count(audit_records.seq) <> audit_heads.seq - begins_seq
      or count(distinct audit_records.seq) <> audit_heads.seq - begins_seq
      or min(audit_records.seq) <> begins_seq + 1 or max(audit_records.seq) <> audit_heads.seq`,
  'a chain with sealed records has a head': `
    select distinct company_id from audit_records where seq is not null
      and company_id not in (select company_id from audit_heads)`,
}
