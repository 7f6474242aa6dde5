-- When a membership ends, so do invitations to its address, and to those that it had before: nothing that was sent before brings the former
-- member back. A purge acts in no company, and deletes its rows itself.
create or replace function end_invitations_of_member() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  addresses constant text[] := old.email || array(
    select email from former_addresses where company_id = old.company_id and account_id = old.account_id);
begin
  update invitations set status = 'revoked', finished_at = now()
  where company_id = old.company_id and email = any (addresses) and status = 'pending';
  return null;
end
$$;
revoke all on function end_invitations_of_member from public;

create or replace trigger end_invitations_of_member after delete on memberships
  for each row when (current_company() is not null) execute function end_invitations_of_member();
