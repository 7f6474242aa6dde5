-- Counts a company that an account opens in opened_companies of the account, and lets it into no more than 1,000 at a time: what changes of the
-- account is written to each of its memberships at once. Deleted companies, which may be restored, count for 2,000 together with
-- the others: who had many created in their name can delete them and go on. The counter never falls, so it only says when to look. The row of the account
-- makes those that enter at once wait for each other. Who was added by others may open the company anyway; bound_added_companies bounds that.
create or replace function count_opened_company() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  opened integer;
begin
  update accounts set opened_companies = opened_companies + 1 where id = new.account_id returning opened_companies into opened;
  if tg_op = 'INSERT' and opened > 1000 and (
    select count(*) filter (where deleted_at is null) > 1000 or count(*) > 2000
    from memberships join companies on companies.id = company_id where account_id = new.account_id and opened_at is not null)
  then
    -- Every version answers errors of this class with 503, unless it knows the constraint.
    raise exception 'account % is in too many companies', new.account_id
      using errcode = '53F2D', constraint = 'memberships_account_limit_check';
  end if;
  return null;
end
$$;
revoke all on function count_opened_company from public;

create or replace trigger count_opened_company after insert on memberships
  for each row when (new.opened_at is not null) execute function count_opened_company();
create or replace trigger count_newly_opened_company after update of opened_at on memberships
  for each row when (old.opened_at is null and new.opened_at is not null) execute function count_opened_company();
