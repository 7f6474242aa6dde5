-- No session is opened for an account with a second factor that was not proved. The service never tries; this stops a path that
-- forgot to ask, and a node of a version that knows of no second factor. Its class of errors is one that every version answers
-- with 503.
create or replace function check_second_factor() returns trigger
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  if exists (select from accounts where id = new.account_id and has_second_factor) then
    raise exception 'session % of account % lacks the second factor', new.id, new.account_id
      using errcode = '53F2A', constraint = 'sessions_second_factor';
  end if;
  return new;
end
$$;
revoke all on function check_second_factor from public;

create or replace trigger check_second_factor before insert on sessions
  for each row when (new.second_factor_at is null) execute function check_second_factor();
