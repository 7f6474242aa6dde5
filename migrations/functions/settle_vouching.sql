-- From when on an account vouches again is the end of the transaction that has said so, which ends its other sessions. What these vouch for is
-- committed by then, or never (hold_session), and began before it. The offers of ownership that the account made expire: by accepting
-- one, people would only learn so, and it keeps resets away.
create or replace function settle_vouching() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  is_everywhere constant boolean := new.vouches_from is distinct from old.vouches_from;
begin
  update ownership_offers set expires_at = least(expires_at, now())
  from memberships
  where memberships.account_id = new.id and ownership_offers.company_id = memberships.company_id and from_id = new.id
    and (is_everywhere or memberships.added_by is not null);
  update accounts set
    vouches_from = case when is_everywhere then clock_timestamp() else vouches_from end,
    regained_at = case when new.regained_at is distinct from old.regained_at then clock_timestamp() else regained_at end
  where id = new.id;
  return null;
end
$$;
revoke all on function settle_vouching from public;

drop trigger if exists settle_vouching on accounts;
create constraint trigger settle_vouching after update on accounts
  deferrable initially deferred for each row
  when ((new.vouches_from, new.regained_at) is distinct from (old.vouches_from, old.regained_at) and pg_trigger_depth() = 0)
  execute function settle_vouching();
