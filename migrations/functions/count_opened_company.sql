-- Counts a company that an account opens in opened_companies of the account.
create or replace function count_opened_company() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  update accounts set opened_companies = opened_companies + 1 where id = new.account_id;
  return null;
end
$$;
revoke all on function count_opened_company from public;

create or replace trigger count_opened_company after insert on memberships
  for each row when (new.opened_at is not null) execute function count_opened_company();
create or replace trigger count_newly_opened_company after update of opened_at on memberships
  for each row when (old.opened_at is null and new.opened_at is not null) execute function count_opened_company();
