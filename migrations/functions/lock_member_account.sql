-- Locks the account of a member of the current company ahead of the membership: every change of an account locks its row before
-- its memberships.
create or replace function lock_member_account(member_id uuid) returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform from accounts
  where id = member_id
    and exists (select from memberships where company_id = current_company() and account_id = member_id)
  for no key update;
end
$$;
revoke all on function lock_member_account from public;
grant execute on function lock_member_account to tenantry_tenant;
