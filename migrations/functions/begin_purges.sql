-- For the worker: starts the purge of companies that were deleted long enough ago, which can't be restored from then on, and
-- returns the companies to purge.
create or replace function begin_purges(companies_max integer) returns setof uuid
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  -- Purges that have started come last, so that a company that can't be purged does not hold up the others for ever.
  return query
    update companies set purge_started_at = now()
    where id = any (array(
      select id from companies
      -- Only deleted companies have a purge; said again for their index.
      where deleted_at is not null and (deleted_at <= now() - company_restore_period() or purge_started_at is not null)
      order by purge_started_at nulls first, deleted_at limit companies_max for update skip locked))
    returning id;
end
$$;
revoke all on function begin_purges from public;
grant execute on function begin_purges to tenantry_worker;
