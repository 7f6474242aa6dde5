-- Requests with an Idempotency-Key and their responses, so that a retry gets the response of the first request. Neither
-- the request nor the response can be read from these rows: docs/decisions/0009-idempotency.md.
create table idempotent_requests (
  -- A hash of the key and of the account or address that it belongs to.
  id bytea primary key,
  -- A MAC of the whole request.
  fingerprint bytea not null,
  -- Both are null while the request is in progress.
  status smallint,
  response bytea,
  -- The process that handles the request has claimed it until then; after that a retry may start anew.
  claimed_until timestamptz not null,
  created_at timestamptz not null default now(),
  constraint idempotent_requests_response_check check ((status is null) = (response is null))
);
create index idempotent_requests_by_age on idempotent_requests (created_at);

grant select, insert, update, delete on idempotent_requests to tenantry_account;
grant select, delete on idempotent_requests to tenantry_worker;
