-- An announced removal of second factors ends for good when the account gets another address: who was told of it reads that one no more.
-- Otherwise it would come to life again, unasked, once the address is restored. A trigger, so that a node of an older version ends it, too.
create or replace function end_factor_reset() returns trigger
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  delete from factor_resets where account_id = new.id;
  return null;
end
$$;
revoke all on function end_factor_reset from public;

create or replace trigger end_factor_reset after update of email on accounts
  for each row when (new.email is distinct from old.email) execute function end_factor_reset();
