-- The processes of the service, and the keys that have signed, so that an operator sees what runs and can tell when a
-- former APP_SECRET is no longer needed: docs/decisions/0039-rotating-the-secret.md.
create table nodes (
  -- One for each start.
  id uuid primary key,
  host text not null,
  version text not null,
  -- The ids of keys as in tokens. The signing key is one of the accepted ones.
  signing_kid text not null,
  accepted_kids text[] not null check (signing_kid = any(accepted_kids)),
  started_at timestamptz not null default now(),
  -- Renewed every few seconds; a node that has ended without notice stays behind with an old time.
  seen_at timestamptz not null default now(),
  stopped_at timestamptz
);
grant select, insert, update, delete on nodes to tenantry_worker;

-- Rows stay for good, one for each APP_SECRET that has ever been in use.
create table signing_keys (
  kid text primary key,
  first_seen_at timestamptz not null default now(),
  -- The last time that a node which signs with this key was seen.
  last_seen_at timestamptz not null default now()
);
grant select, insert, update on signing_keys to tenantry_worker;
