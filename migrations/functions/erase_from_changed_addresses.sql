-- For an erasure: takes these addresses, as they are written in lower case, out of what other accounts have changed their own address from
-- or to, in their next records of no company, the newest first: anyone may have asked for an address before its owner came. The rest of
-- these records stays. Returns the last of the records that it looked at; null: none was left.
create or replace function erase_from_changed_addresses(addresses text[], before uuid, records_max integer) returns uuid
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  next_records constant uuid[] := array(
    select id from audit_records
    where company_id is null and actor_id is not null and (changes ? 'email' or changes ? 'pending_email') and id < before
    order by id desc limit records_max);
begin
  update audit_records set changes = (
    select jsonb_object_agg(field, (
      select coalesce(jsonb_object_agg(side, value), '{}') from jsonb_each(sides) as kept (side, value)
      where lower(value #>> '{}') is null or not lower(value #>> '{}') = any (addresses)))
    from jsonb_each(changes) as changed (field, sides))
  where id = any (next_records) and exists (
    select from unnest(array['email', 'pending_email']) field, unnest(array['from', 'to']) side
    where lower(changes #>> array[field, side]) = any (addresses));
  return next_records[cardinality(next_records)];
end
$$;
revoke all on function erase_from_changed_addresses from public;
grant execute on function erase_from_changed_addresses to tenantry_worker;
