-- What an answer with tokens is bound to, so that it is not repeated once its cause is gone: docs/decisions/0021.

-- Counts the changes of what opens an account: of its passwords and its address. A number and not a moment, because
-- clocks step back and a transaction that began earlier may commit later.
alter table accounts add column credentials_version bigint not null default 0;

alter table sessions
  -- The account's when the session's present pair of tokens was made.
  add column credentials_version bigint not null default 0,
  -- When the account's owner was told that a spent refresh token of this session was presented.
  add column reuse_notified_at timestamptz;

-- Triggers, so that no way of changing a password or an address can forget to count. What writes a password holds the lock
-- of its account by then: see the order of locks in docs/architecture.md.
create function count_password_change() returns trigger
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  update accounts set credentials_version = credentials_version + 1
  where id = case tg_op when 'INSERT' then new.account_id else old.account_id end;
  return null;
end
$$;
-- A temporary password beside the others ends nothing that they opened: it counts when it is replaced or goes.
create trigger count_new_password after insert on passwords
  for each row when (new.kind = 'chosen') execute function count_password_change();
create trigger count_replaced_password after update of hash on passwords
  for each row when (old.hash <> new.hash) execute function count_password_change();
create trigger count_dropped_password after delete on passwords
  for each row execute function count_password_change();

create function count_email_change() returns trigger
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  new.credentials_version := old.credentials_version + 1;
  return new;
end
$$;
create trigger count_email_change before update of email on accounts
  for each row when (old.email <> new.email) execute function count_email_change();
