-- For an erasure: the next companies with an audit log, in order, and whether a sealed record there is by or about the account.
-- Conditions and order are written for the index of each: any other one would mean all records of a company.
create or replace function audit_companies_of_account(account uuid, after uuid, companies_max integer)
returns table (company_id uuid, is_named boolean)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select next.company_id, coalesce(
    (select true from audit_records
      where audit_records.company_id = next.company_id and seq is not null
        and (actor_id, created_at, id) > (account, '-infinity', '00000000-0000-0000-0000-000000000000')
        and (actor_id, created_at, id) <= (account, 'infinity', '00000000-0000-0000-0000-000000000000')
      order by actor_id, created_at, id limit 1),
    (select true from audit_records
      where audit_records.company_id = next.company_id and seq is not null
        and (target_id, created_at, id) > (account::text, '-infinity', '00000000-0000-0000-0000-000000000000')
        and (target_id, created_at, id) <= (account::text, 'infinity', '00000000-0000-0000-0000-000000000000')
      order by target_id, created_at, id limit 1),
    false)
  from (
    select audit_heads.company_id from audit_heads where audit_heads.company_id > after
    order by audit_heads.company_id limit companies_max) next
  order by next.company_id;
end;
revoke all on function audit_companies_of_account from public;
grant execute on function audit_companies_of_account to tenantry_worker;
