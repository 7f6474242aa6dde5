-- For an erasure: takes everything personal out of the next records of no company that are by the account, or by no account and
-- about it or one of its addresses, the newest first. They are part of no chain. Of those by an operator, who alone has a name
-- without an account, the operator stays. Returns the last of the records that it looked at; null: none was left.
create or replace function erase_account_records(
  account uuid, is_actor boolean, addresses text[], before uuid, records_max integer
) returns uuid
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  next_records uuid[];
  keys jsonb := (select coalesce(jsonb_object_agg(address, true), '{}') from unnest(addresses) address);
begin
  if is_actor then
    next_records := array(
      select id from audit_records where company_id is null and actor_id = account and id < before
      order by id desc limit records_max);
  else
    next_records := array(
      select id from audit_records where company_id is null and actor_id is null and id < before
      order by id desc limit records_max);
  end if;
  update audit_records set target_label = '', changes = '{}', actor_email = '', ip = null,
    actor_name = case when is_operator then actor_name else '' end,
    user_agent = case when is_operator then user_agent else '' end,
    request_id = case when is_operator then request_id else '' end
  from (
    select id as record_id, not is_actor and actor_name <> '' and actor_email = '' as is_operator from audit_records
    where id = any (next_records) and (
      is_actor or target_id = account::text or keys ? lower(actor_email)
      or audit_address_appears(target_label, changes, keys))
  ) concerned
  where id = record_id and (
    target_label <> '' or changes <> '{}' or actor_email <> '' or ip is not null
    or not is_operator and (actor_name <> '' or user_agent <> '' or request_id <> ''));
  return next_records[cardinality(next_records)];
end
$$;
revoke all on function erase_account_records from public;
grant execute on function erase_account_records to tenantry_worker;
