-- Counts a change of a password in the account's credentials_version. A trigger, so that no way to change a password can forget
-- to count. The writer of a password has locked the account before: see the order of locks in docs/architecture.md.
create or replace function count_password_change() returns trigger
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  update accounts set credentials_version = credentials_version + 1
  where id = case tg_op when 'INSERT' then new.account_id else old.account_id end;
  return null;
end
$$;
revoke all on function count_password_change from public;

-- A temporary password beside the others ends nothing that they opened: it counts when it is replaced or deleted.
create or replace trigger count_new_password after insert on passwords
  for each row when (new.kind = 'chosen') execute function count_password_change();
create or replace trigger count_replaced_password after update of hash on passwords
  for each row when (old.hash <> new.hash) execute function count_password_change();
create or replace trigger count_deleted_password after delete on passwords
  for each row execute function count_password_change();
