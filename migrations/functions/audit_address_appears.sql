-- Whether a record of something else names one of the addresses, the keys of an object: as its label, or as a value before or after.
-- The record is read once however many they are, and each of its texts is looked up among them; no address has a quotation mark.
-- It has no `set search_path`, so that the planner writes it into the statement that calls it; names are resolved here and now.
create or replace function audit_address_appears(target_label text, changes jsonb, addresses jsonb) returns boolean
language sql immutable parallel safe
return addresses ?| (string_to_array(lower(changes::text), '"') || lower(target_label));
revoke all on function audit_address_appears from public;
grant execute on function audit_address_appears to tenantry_tenant;
