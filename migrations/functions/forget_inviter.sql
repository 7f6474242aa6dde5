-- When a membership ends, for whatever reason, no member vouches for its pending invitations and its links any more, also when the
-- account joins again. Those that have ended, or have no use left, keep the id of their maker: only time bounds their number.
create or replace function forget_inviter() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  update invitations set inviter_id = null
  where company_id = old.company_id and status = 'pending' and expires_at > now() and inviter_id = old.account_id;
  update invitation_links set creator_id = null
  where company_id = old.company_id and revoked_at is null and uses < max_uses and expires_at > now() and creator_id = old.account_id;
  return null;
end
$$;
revoke all on function forget_inviter from public;

create or replace trigger forget_inviter after delete on memberships for each row execute function forget_inviter();
