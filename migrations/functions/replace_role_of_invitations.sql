-- A role that is replaced is replaced in pending invitations and in usable links, too, in the statement that replaces it: a worker deletes the row of the
-- role soon afterwards. Where the replacement gives more, those that others vouch for get the role Member instead: no member has vouched for their
-- people to have more, and who replaces the role may be an intruder, or give it to links whose other roles they could not give. Those of members who are gone, or were recovered, stay void.
create or replace function replace_role_of_invitations() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  gives_more constant boolean := (
    select replacement.system_key is not distinct from 'owner' or not replacement.permissions <@ old.permissions
    from roles replacement where replacement.company_id = new.company_id and replacement.id = new.replaced_by);
  of_others constant uuid := case when gives_more then
    (select id from roles where company_id = new.company_id and system_key = 'member' and replaced_by is null)
    else new.replaced_by end;
begin
  with replaced as (
    delete from invitation_roles held using invitations
    where held.company_id = new.company_id and held.role_id = new.id
      and invitations.company_id = held.company_id and invitations.id = held.invitation_id
      and invitations.status = 'pending' and invitations.expires_at > now()
    returning held.invitation_id, invitations.inviter_id)
  insert into invitation_roles (company_id, invitation_id, role_id)
    select new.company_id, invitation_id, case when inviter_id = current_account() then new.replaced_by else of_others end
    from replaced
  on conflict do nothing;
  with replaced as (
    delete from invitation_link_roles held using invitation_links
    where held.company_id = new.company_id and held.role_id = new.id
      and invitation_links.company_id = held.company_id and invitation_links.id = held.link_id
      and invitation_links.revoked_at is null and invitation_links.uses < invitation_links.max_uses
      and invitation_links.expires_at > now()
    returning held.link_id, invitation_links.creator_id)
  insert into invitation_link_roles (company_id, link_id, role_id)
    select new.company_id, link_id, case when creator_id = current_account() then new.replaced_by else of_others end
    from replaced
  on conflict do nothing;
  return null;
end
$$;
revoke all on function replace_role_of_invitations from public;

create or replace trigger replace_role_of_invitations after update on roles
  for each row when (old.replaced_by is null and new.replaced_by is not null) execute function replace_role_of_invitations();
