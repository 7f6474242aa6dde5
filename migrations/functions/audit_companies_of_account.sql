-- For an erasure: the next companies with an audit log, in order, and the addresses by which their sealed records name the account;
-- none where no record is by or about it, and '' where all that names it was erased.
create or replace function audit_companies_of_account(account uuid, after uuid, companies_max integer)
returns table (company_id uuid, addresses text[])
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select next.company_id, array(
    select actor_email from audit_records
    where audit_records.company_id = next.company_id and actor_id = account and seq is not null
    union
    select case when target_type in ('account', 'member') then target_label else '' end from audit_records
    where audit_records.company_id = next.company_id and target_id = account::text and seq is not null)
  from (
    select audit_heads.company_id from audit_heads where audit_heads.company_id > after
    order by audit_heads.company_id limit companies_max) next
  order by next.company_id;
end;
revoke all on function audit_companies_of_account from public;
grant execute on function audit_companies_of_account to tenantry_worker;
