-- Keeps a session of the current account from ending before the transaction does. False: it has ended, also while this waited. The last
-- statement of what a member vouches for, because accounts are locked before their sessions, and so that nothing waits while it holds the
-- session. Not shared: many requests at once could keep a shared lock, and with it the owner from ending their session.
create or replace function hold_session(session_id uuid) returns boolean
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform from sessions
  where id = session_id and account_id = current_account()
    and revoked_at is null and expires_at > now() and not must_change_password
  for no key update;
  return found;
end
$$;
revoke all on function hold_session from public;
grant execute on function hold_session to tenantry_tenant;
