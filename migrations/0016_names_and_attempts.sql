-- Names of roles that look alike, refused attempts that nobody asks for any more, and audit records with a wrong time.

-- What a role's name looks like, made by the service (src/lib/confusables.ts): without letter case, and as it was written.
-- Null: the role was made before, and its company has named none since.
alter table roles
  add column name_skeleton text collate "C",
  add column name_shape text collate "C";
create unique index roles_skeleton_key on roles (company_id, name_skeleton);
create unique index roles_shape_key on roles (company_id, name_shape);

-- Refused attempts that belong to no company, such as failed sign-ins, are of no use after a while, and any stranger can
-- cause them. The worker may read and change no audit record: this is all that it can do.
create index audit_records_of_attempts on audit_records (created_at) where company_id is null and outcome <> 'done';

create function remove_old_attempts(rows_max integer) returns integer
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  removed integer;
begin
  delete from audit_records where id = any (array(
    select id from audit_records
    where company_id is null and outcome <> 'done' and created_at < now() - interval '90 days'
    order by created_at limit rows_max));
  get diagnostics removed = row_count;
  return removed;
end
$$;
revoke all on function remove_old_attempts from public;
grant execute on function remove_old_attempts to tenantry_worker;
