-- For the worker: deletes invitations that were answered, revoked or have expired 90 days ago, because they name people who may never
-- have become members. Returns how many. The audit log keeps what became of them.
create or replace function delete_old_invitations(rows_max integer) returns integer
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  deleted integer;
begin
  delete from invitations where ctid = any (array(
    select ctid from invitations where coalesce(finished_at, expires_at) < now() - interval '90 days' limit rows_max for update skip locked));
  get diagnostics deleted = row_count;
  return deleted;
end
$$;
revoke all on function delete_old_invitations from public;
grant execute on function delete_old_invitations to tenantry_worker;
