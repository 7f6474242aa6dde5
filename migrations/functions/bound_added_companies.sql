-- Lets companies add an account while it is in fewer than 1,000: what changes of the account, such as its address, is written to each of its
-- memberships at once, and who takes an account over could have it added to tens of thousands, so that its owner could not undo that.
-- Those that add it at once take turns at the lock of the account. A company lets in who asks it to up to
-- 2,000: others may fill the 1,000, and who has taken the account over may ask as many companies of their own.
create or replace function bound_added_companies() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if (select count(*) from (select from memberships where account_id = new.account_id limit 2001) counted) > (
    case when exists (
      select from join_requests where company_id = new.company_id and account_id = new.account_id and declined_at is null)
    then 2000 else 1000 end)
  then
    -- Every version answers errors of this class with 503, unless it knows the constraint.
    raise exception 'account % is in too many companies', new.account_id
      using errcode = '53F2D', constraint = 'memberships_account_addition_check';
  end if;
  return null;
end
$$;
revoke all on function bound_added_companies from public;

create or replace trigger bound_added_companies after insert on memberships
  for each row when (new.opened_at is null) execute function bound_added_companies();
