-- For an erasure: the next companies with an audit log, in order, and whether a sealed record of these actions, or about these
-- kinds of things, names one of the addresses, or one by an actor without an account does. Null: it has more records of one kind than are
-- looked at here, so that no statement takes longer than it may, whatever companies have in their logs. Conditions and order are written for
-- the index of each kind: any other one would mean all records of a company.
create or replace function audit_companies_mentioning(
  addresses text[], actions text[], target_types text[], after uuid, companies_max integer
)
returns table (company_id uuid, is_mentioned boolean)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  with given as materialized (select coalesce(jsonb_object_agg(address, true), '{}') as keys from unnest(addresses) address)
  select next.company_id, (
    select case when bool_or(is_named) then true when bool_or(is_cut) then null else false end
    from (
      select bool_or(audit_address_appears(target_label, changes, (select keys from given))) as is_named, count(*) > 100 as is_cut
      from unnest(actions) kinds (kind)
      cross join lateral (
        select target_label, changes from audit_records
        where audit_records.company_id = next.company_id and seq is not null
          and (action, created_at, id) > (kind, '-infinity', '00000000-0000-0000-0000-000000000000')
          and (action, created_at, id) <= (kind, 'infinity', '00000000-0000-0000-0000-000000000000')
        order by action, created_at, id limit 101) looked
      group by kind
      union all
      select bool_or(audit_address_appears(target_label, changes, (select keys from given))), count(*) > 100
      from unnest(target_types) kinds (kind)
      cross join lateral (
        select target_label, changes from audit_records
        where audit_records.company_id = next.company_id and seq is not null
          and (target_type, created_at, id) > (kind, '-infinity', '00000000-0000-0000-0000-000000000000')
          and (target_type, created_at, id) <= (kind, 'infinity', '00000000-0000-0000-0000-000000000000')
        order by target_type, created_at, id limit 101) looked
      group by kind
      union all
      select bool_or((select keys from given) ? lower(actor_email)), count(*) > 100
      from (
        select actor_email from audit_records
        where audit_records.company_id = next.company_id and actor_id is null and seq is not null
        order by actor_id, created_at, id limit 101) looked
    ) found)
  from (
    select audit_heads.company_id from audit_heads where audit_heads.company_id > after
    order by audit_heads.company_id limit companies_max) next
  order by next.company_id;
end;
revoke all on function audit_companies_mentioning from public;
grant execute on function audit_companies_mentioning to tenantry_worker;
