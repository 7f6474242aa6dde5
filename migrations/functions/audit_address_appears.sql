-- Whether a record of something else names one of the addresses: as its label, or as a value before or after.
create or replace function audit_address_appears(target_label text, changes jsonb, addresses text[]) returns boolean
language sql immutable parallel safe set search_path = pg_catalog, public, pg_temp
begin atomic
  select lower(target_label) = any (addresses) or exists (
    select from unnest(addresses) as address where position(to_jsonb(address)::text in lower(changes::text)) > 0);
end;
revoke all on function audit_address_appears from public;
grant execute on function audit_address_appears to tenantry_tenant;
