-- When a membership ends, so do invitations to its address: nothing that was sent before brings the former member back. A purge
-- acts in no company, and deletes its rows itself.
create or replace function end_invitations_of_member() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  update invitations set status = 'revoked', finished_at = now()
  where company_id = old.company_id and email = old.email and status = 'pending';
  return null;
end
$$;
revoke all on function end_invitations_of_member from public;

create or replace trigger end_invitations_of_member after delete on memberships
  for each row when (current_company() is not null) execute function end_invitations_of_member();
