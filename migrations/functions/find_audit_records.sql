-- A page of the current company's records, newest first, as the caller's own rights allow. Planned for these very values: each
-- filter has its index, and only the values tell which one is the rarest.
create or replace function find_audit_records(
  before_time timestamptz, before_id uuid, wanted_actor uuid, wanted_action text, wanted_target_type text,
  wanted_target text, wanted_outcome text, since timestamptz, until timestamptz, page_limit integer
)
returns setof audit_records
language plpgsql stable as $$
declare
  conditions text := format('company_id = %L', current_company());
  one_page text := format(' order by created_at desc, id desc limit %s', page_limit);
begin
  if before_id is not null then
    conditions := conditions || format(' and (created_at, id) < (%L, %L)', before_time, before_id);
  end if;
  if wanted_actor is not null then conditions := conditions || format(' and actor_id = %L', wanted_actor); end if;
  if wanted_action is not null then conditions := conditions || format(' and action = %L', wanted_action); end if;
  if wanted_target_type is not null then conditions := conditions || format(' and target_type = %L', wanted_target_type); end if;
  if wanted_target is not null then conditions := conditions || format(' and target_id = %L', wanted_target); end if;
  if wanted_outcome is not null then conditions := conditions || format(' and outcome = %L', wanted_outcome); end if;
  if since is not null then conditions := conditions || format(' and created_at >= %L', since); end if;
  if until is not null then conditions := conditions || format(' and created_at <= %L', until); end if;
  return query execute
    'select * from ((select * from audit_records where seq is null and ' || conditions || one_page
    || ') union all (select * from audit_records where seq is not null and ' || conditions || one_page
    || ')) both_kinds' || one_page;
end
$$;
revoke all on function find_audit_records from public;
grant execute on function find_audit_records to tenantry_tenant;
