-- For the worker: what is still signed with this key, in order and in batches. A head comes before its checkpoints, as
-- number 0.
create or replace function audit_signed_with(signed_kid text, after_company uuid, after_number bigint, signed_max integer)
returns table (company_id uuid, number bigint)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  (select audit_heads.company_id, 0::bigint as number from audit_heads
   where kid = signed_kid and audit_heads.company_id > after_company order by audit_heads.company_id limit signed_max)
  union all
  (select audit_checkpoints.company_id, audit_checkpoints.number from audit_checkpoints
   where kid = signed_kid and (audit_checkpoints.company_id, audit_checkpoints.number) > (after_company, after_number)
   order by audit_checkpoints.company_id, audit_checkpoints.number limit signed_max)
  order by 1, 2 limit signed_max;
end;
revoke all on function audit_signed_with from public;
grant execute on function audit_signed_with to tenantry_worker;
