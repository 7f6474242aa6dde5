-- Counts a change of the address in the account's credentials_version. A trigger, so that no way to change an address can forget
-- to count. See docs/decisions/0021-stored-responses.md.
create or replace function count_email_change() returns trigger
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  new.credentials_version := old.credentials_version + 1;
  return new;
end
$$;
revoke all on function count_email_change from public;

create or replace trigger count_email_change before update of email on accounts
  for each row when (old.email <> new.email) execute function count_email_change();
