-- The undo of a change of address also removes the second factors that an intruder may have added. A node of a version that knows of
-- none would use the link up and leave them, and a passkey signs in alone. So a link that still works is deleted only by a
-- transaction that says that it knows of factors (email-change-undos.ts). The class of errors is one that every version answers with 503.
-- Of an account without a factor such a node undoes the change; that is a recovery as well, as markRecovered notes it (accounts.ts).
create or replace function check_factors_undone() returns trigger
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if current_setting('app.knows_factors', true) is not distinct from 'yes' then
    return old;
  end if;
  if exists (select from accounts where id = old.account_id and has_second_factor) then
    raise exception 'the undo of a change of address would leave the second factors of account %', old.account_id
      using errcode = '53F2B', constraint = 'email_change_undos_factors';
  end if;
  update accounts set recovered_at = clock_timestamp() + interval '10 seconds' where id = old.account_id;
  return old;
end
$$;
revoke all on function check_factors_undone from public;

create or replace trigger check_factors_undone before delete on email_change_undos
  for each row when (old.expires_at > now()) execute function check_factors_undone();
