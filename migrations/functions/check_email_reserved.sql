-- An address that a valid link can restore is taken by no other account: otherwise an intruder who changed the address could
-- register it again, and its owner could not undo the change. After the statement, which may have waited for the transaction
-- that changed the address: the reservation is visible then. See docs/decisions/0026.
create or replace function check_email_reserved() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if exists (
    select from email_change_undos where email = new.email and account_id <> new.id and is_reserved and expires_at > now()
  ) then
    raise exception 'the address of account % is reserved for another account', new.id
      using errcode = 'unique_violation', constraint = 'accounts_email_reserved';
  end if;
  return null;
end
$$;
revoke all on function check_email_reserved from public;

create or replace trigger check_email_reserved after insert or update of email on accounts
  for each row execute function check_email_reserved();
