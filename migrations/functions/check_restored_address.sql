-- A change back to an address that a link can restore makes no link for the one in between, which may be an intruder's, and ends what that one
-- has (email-change-undos.ts). A node of 0.2.0 would make one, and it would outlive the owner's own. The class of errors is one that
-- every version answers with 503; the change can be confirmed on a node of this version.
create or replace function check_restored_address() returns trigger
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if exists (
    select from accounts join email_change_undos undo on undo.account_id = accounts.id and undo.email = accounts.email
    where accounts.id = new.account_id and undo.expires_at > now()
  ) then
    raise exception 'a link to undo the change back would be given to the address in between of account %', new.account_id
      using errcode = '53F2D', constraint = 'email_change_undos_restored';
  end if;
  return new;
end
$$;
revoke all on function check_restored_address from public;

create or replace trigger check_restored_address before insert on email_change_undos
  for each row execute function check_restored_address();
