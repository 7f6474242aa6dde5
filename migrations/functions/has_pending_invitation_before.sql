-- For the worker: whether an invitation waits whose link was sent until this moment. A secret that signed links until then is still
-- needed.
create or replace function has_pending_invitation_before(moment timestamptz) returns boolean
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select exists (select from invitations where status = 'pending' and expires_at > now() and sent_at <= moment);
end;
revoke all on function has_pending_invitation_before from public;
grant execute on function has_pending_invitation_before to tenantry_worker;
