-- The last of the next members of the current company, in the order of their ids, whom policy_findings judges in one statement: so many
-- members, or fewer with so many sessions together. Null: those behind `after` are no more. It counts no further than it answers.
create or replace function policy_range_end(after uuid, members_max integer, sessions_max integer) returns uuid
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select account_id from (
    select account_id,
      row_number() over (order by account_id rows unbounded preceding) as members,
      sum(sessions) over (order by account_id rows unbounded preceding) as sessions
    from (
      select memberships.account_id, (
        select count(*) from (
          select from sessions where sessions.account_id = memberships.account_id and revoked_at is null limit sessions_max) held) as sessions
      from memberships where company_id = current_company() and memberships.account_id > after
      order by memberships.account_id limit members_max) counted) added
  where members = members_max or sessions >= sessions_max
  order by account_id limit 1;
end;
revoke all on function policy_range_end from public;
grant execute on function policy_range_end to tenantry_tenant;
