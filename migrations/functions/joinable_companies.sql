-- The companies that the current account can join, or could if they had not declined it: those that have verified the domain
-- of its verified address and want to be joined. Nothing else of them but their names and how joining goes. A member of before asks, and
-- whose request was declined can't, whichever account has the address by now.
create or replace function joinable_companies()
returns table (
  company_id uuid, name text, domain text, joining text, request_id uuid, requested_at timestamptz, is_declined boolean)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select companies.id, companies.name, company_domains.name,
    case when former_members.account_id is not null
      or exists (
        select from former_addresses where former_addresses.company_id = companies.id and former_addresses.email = accounts.email)
      or not can_stand_by_joining(companies.id, company_domains.approved_by, company_domains.approved_at) then 'request'
    else company_domains.join_policy end,
    join_requests.id, join_requests.created_at, join_requests.declined_at is not null or exists (
      select from join_requests declined
      where declined.company_id = companies.id and declined.email = accounts.email and declined.declined_at is not null)
  from accounts
  join company_domains on company_domains.name = domain_vouching_for(accounts.email) and company_domains.status = 'verified'
  join companies on companies.id = company_domains.company_id
  left join former_members
    on former_members.company_id = companies.id and former_members.account_id = accounts.id
  left join join_requests
    on join_requests.company_id = companies.id and join_requests.account_id = accounts.id
  where accounts.id = current_account() and accounts.email_verified_at is not null
    and company_domains.join_policy <> 'none' and companies.deleted_at is null and companies.suspended_at is null
    and not exists (
      select from memberships where memberships.company_id = companies.id and memberships.account_id = accounts.id);
end;
revoke all on function joinable_companies from public;
grant execute on function joinable_companies to tenantry_account;
