-- What the password of a session was worth says nothing of another one. This version notes what the new one is worth right after it; a node of
-- 0.2.0 knows of no classes, and would leave the session what the former one was worth. All sessions of an account can be too many for one
-- statement, so this is left out for a transaction that says that it knows of classes (passwords.ts): it ends the others anyway.
create or replace function forget_password_class() returns trigger
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if current_setting('app.knows_classes', true) is not distinct from 'yes' then
    return null;
  end if;
  update sessions set password_class = null
  where account_id = new.account_id and revoked_at is null and password_class is not null and 'pwd' = any (methods);
  return null;
end
$$;
revoke all on function forget_password_class from public;

create or replace trigger forget_class_of_new after insert on passwords
  for each row when (new.kind = 'chosen') execute function forget_password_class();
create or replace trigger forget_class_of_replaced after update of hash on passwords
  for each row when (new.kind = 'chosen' and old.hash <> new.hash) execute function forget_password_class();
