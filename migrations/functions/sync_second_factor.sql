-- Keeps in the account whether it has a confirmed second factor, where every request and every new session looks for it. Each
-- factor more or less also counts as a change of what opens the account, as a new password does: stored responses with tokens, and
-- sign-ins that wait for their second factor, are invalid then. With the last factor an announced removal is done. The writer of a
-- factor has locked the account before.
create or replace function sync_second_factor() returns trigger
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
declare
  account constant uuid := case tg_op when 'DELETE' then old.account_id else new.account_id end;
  has_one constant boolean := exists (select from second_factors where account_id = account and confirmed_at is not null);
begin
  update accounts set has_second_factor = has_one, credentials_version = credentials_version + 1 where id = account;
  if not has_one then
    delete from factor_resets where account_id = account;
  end if;
  return null;
end
$$;
revoke all on function sync_second_factor from public;

create or replace trigger sync_new_factor after insert on second_factors
  for each row when (new.confirmed_at is not null) execute function sync_second_factor();
create or replace trigger sync_confirmed_factor after update of confirmed_at on second_factors
  for each row when (old.confirmed_at is distinct from new.confirmed_at) execute function sync_second_factor();
create or replace trigger sync_deleted_factor after delete on second_factors
  for each row when (old.confirmed_at is not null) execute function sync_second_factor();
