-- Locks, in the order of their ids, the companies that the current account has become a member of since then, and returns their ids:
-- before the account, as everywhere. Also a little earlier: what waited for a lock began then.
create or replace function lock_joined_companies(since timestamptz) returns setof uuid
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  return query select id from companies
  where id in (select company_id from memberships where account_id = current_account() and created_at > since - interval '10 seconds')
  order by id for no key update;
end
$$;
revoke all on function lock_joined_companies from public;
grant execute on function lock_joined_companies to tenantry_account;
