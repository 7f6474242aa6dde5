-- A new member, however it became one, has nothing left to ask for and is no former member any more.
create or replace function end_join_request() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  delete from join_requests where company_id = new.company_id and account_id = new.account_id;
  delete from former_members where company_id = new.company_id and account_id = new.account_id;
  return null;
end
$$;
revoke all on function end_join_request from public;

create or replace trigger end_join_request after insert on memberships
  for each row execute function end_join_request();
