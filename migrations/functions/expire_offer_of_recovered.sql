-- An offer of ownership that was under way while its sender or its recipient was recovered from an intruder has expired from the beginning.
-- The locks make recoveries wait for the offer, so that end_offers_of_recovered sees it. Companies are locked before accounts, and this one is;
-- accounts in the order of their ids. Of a sender also what is written in the 10 seconds after counts, when
-- a request of the intruder may be under way, and what came before the account vouches for anything (again). A shared lock could be kept by many companies at once, for ever.
create or replace function expire_offer_of_recovered() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  recovered constant timestamptz := (
    select max(case when id = new.to_id then recovered_at - interval '10 seconds' else greatest(recovered_at, vouches_from, (
      select regained_at from memberships
      where company_id = new.company_id and account_id = new.from_id and added_by is not null)) end)
    from (
      select id, recovered_at, vouches_from, regained_at from accounts
      where id in (new.from_id, new.to_id) order by id for no key update
    ) as parties
  );
begin
  if recovered >= new.created_at then
    new.expires_at := least(new.expires_at, now());
  end if;
  return new;
end
$$;
revoke all on function expire_offer_of_recovered from public;

create or replace trigger expire_offer_of_recovered before insert on ownership_offers
  for each row execute function expire_offer_of_recovered();
