-- For the worker: deletes invitation links that were revoked or have expired 90 days ago. Returns how many.
create or replace function delete_old_invitation_links(rows_max integer) returns integer
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  deleted integer;
begin
  delete from invitation_links where ctid = any (array(
    select ctid from invitation_links where coalesce(revoked_at, expires_at) < now() - interval '90 days'
    limit rows_max for update skip locked));
  get diagnostics deleted = row_count;
  return deleted;
end
$$;
revoke all on function delete_old_invitation_links from public;
grant execute on function delete_old_invitation_links to tenantry_worker;
