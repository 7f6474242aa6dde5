-- expand: audit records of version 2, whose hash covers commitments to what is personal, and not its values. So a person's
-- values can be erased and the chain still holds: docs/decisions/0045-erasable-audit-records.md. The version before leaves
-- records of version 2 to the sealers of this one; the records that it writes are of version 1 until one of these seals them.
alter table audit_records
  -- Null: written by a version before.
  add actor_kind text,
  -- By what the actor was let in, such as the session. Null: by nothing of the service.
  add via_type text,
  add via_id uuid,
  -- 16 random bytes each, set when a record is sealed in version 2, until what they belong to is erased: then the commitment
  -- stays in their place.
  add actor_salt bytea,
  add target_salt bytea,
  add actor_commitment bytea,
  add target_commitment bytea;

grant insert (v, actor_kind, via_type, via_id) on audit_records to tenantry_tenant, tenantry_account;

-- It has two parameters more from now on, with defaults, so that the version before goes on calling it.
drop function if exists seal_audit_records(uuid, text, uuid[], text[], bigint, bigint, timestamptz, text, text, text);
