-- A role that is replaced is replaced in pending invitations and in usable links, too, in the statement that replaces it: a worker deletes the row of the
-- role soon afterwards. Where it gives more than the former one, who replaces it vouches for them from now on: the member who has sent them never
-- gave that, and they end with what ends the other one.
create or replace function replace_role_of_invitations() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  gives_more constant boolean := (
    select replacement.system_key is not distinct from 'owner' or not replacement.permissions <@ old.permissions
    from roles replacement where replacement.company_id = new.company_id and replacement.id = new.replaced_by);
begin
  if gives_more and current_account() is not null then
    update invitations set inviter_id = current_account(), vouched_at = now(), updated_at = clock_timestamp()
    from invitation_roles held
    where held.company_id = new.company_id and held.role_id = new.id
      and invitations.company_id = held.company_id and invitations.id = held.invitation_id
      and invitations.status = 'pending' and invitations.expires_at > now();
    update invitation_links set creator_id = current_account(), vouched_at = now()
    from invitation_link_roles held
    where held.company_id = new.company_id and held.role_id = new.id
      and invitation_links.company_id = held.company_id and invitation_links.id = held.link_id
      and invitation_links.revoked_at is null and invitation_links.uses < invitation_links.max_uses
      and invitation_links.expires_at > now();
  end if;
  insert into invitation_roles (company_id, invitation_id, role_id)
    select held.company_id, held.invitation_id, new.replaced_by
    from invitation_roles held
    join invitations on invitations.company_id = held.company_id and invitations.id = held.invitation_id
    where held.company_id = new.company_id and held.role_id = new.id and invitations.status = 'pending' and invitations.expires_at > now()
  on conflict do nothing;
  insert into invitation_link_roles (company_id, link_id, role_id)
    select held.company_id, held.link_id, new.replaced_by
    from invitation_link_roles held
    join invitation_links on invitation_links.company_id = held.company_id and invitation_links.id = held.link_id
    where held.company_id = new.company_id and held.role_id = new.id
      and invitation_links.revoked_at is null and invitation_links.uses < invitation_links.max_uses and invitation_links.expires_at > now()
  on conflict do nothing;
  return null;
end
$$;
revoke all on function replace_role_of_invitations from public;

create or replace trigger replace_role_of_invitations after update on roles
  for each row when (old.replaced_by is null and new.replaced_by is not null) execute function replace_role_of_invitations();
