-- What an invitation to this address needs to know of the account that has it: its language, and whether it is a member of the current
-- company. Locks nothing: any company may invite any address, as often as it likes.
create or replace function find_invitee(wanted_email text) returns table (locale text, is_member boolean)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select accounts.locale, exists (select from memberships where company_id = current_company() and account_id = accounts.id)
  from accounts where current_company() is not null and accounts.email = wanted_email;
end;
revoke all on function find_invitee from public;
grant execute on function find_invitee to tenantry_tenant;
