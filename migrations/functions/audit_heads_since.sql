-- For the worker: the ends of the chains that grew since then, in batches. The log keeps them, so that a chain that was cut
-- off at its end can be told.
create or replace function audit_heads_since(since timestamptz, after uuid, heads_max integer)
returns table (company_id uuid, seq bigint, hash text, signed_at timestamptz)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select audit_heads.company_id, audit_heads.seq, audit_heads.hash, audit_heads.time from audit_heads
  where (audit_heads.time, audit_heads.company_id) > (since, after)
  order by audit_heads.time, audit_heads.company_id limit heads_max;
end;
revoke all on function audit_heads_since from public;
grant execute on function audit_heads_since to tenantry_worker;
