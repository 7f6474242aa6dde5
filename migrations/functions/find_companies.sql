-- For operators, who act as the worker: companies of the whole service by id, those after the given one; the one with
-- this id, the one with this slug, or those whose names match. Nothing else of them but how many members they have.
create or replace function find_companies(wanted_id uuid, wanted_slug text, pattern text, wanted_status text, after uuid, companies_max integer)
returns table (id uuid, name text, slug text, status text, members bigint, created_at timestamptz,
  suspended_at timestamptz, deleted_at timestamptz, restorable_until timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_custom_plan as $$
begin
  return query
    select found.id, found.name, found.slug, found.status,
      coalesce((select active_members + inactive_members from company_counters where company_id = found.id), 0),
      found.created_at, found.suspended_at, found.deleted_at, found.deleted_at + company_restore_period()
    from (
      select companies.*, case when companies.deleted_at is not null then 'deleted'
        when companies.suspended_at is not null then 'suspended' else 'active' end as status
      from companies) found
    where found.id > after and (wanted_id is null or found.id = wanted_id) and (wanted_slug is null or found.slug = wanted_slug)
      and (pattern is null or found.name_folded like pattern) and (wanted_status is null or found.status = wanted_status)
    order by found.id limit companies_max;
end
$$;
revoke all on function find_companies from public;
grant execute on function find_companies to tenantry_worker;
