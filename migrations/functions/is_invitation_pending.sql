-- For the worker that sends emails: whether the link of an invitation still works. It does not when the invitation was answered,
-- revoked, sent again, or has expired.
create or replace function is_invitation_pending(wanted_link uuid) returns boolean
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select exists (select from invitations where link_id = wanted_link and status = 'pending' and expires_at > now());
end;
revoke all on function is_invitation_pending from public;
grant execute on function is_invitation_pending to tenantry_worker;
