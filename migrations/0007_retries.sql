-- Requests that were sent with an Idempotency-Key, and their answers, so that a retry is answered like its first try.
-- Neither what was asked nor what was answered can be read here: see src/http/idempotency/store.ts.
create table idempotent_requests (
  -- A hash of the key and of whom it belongs to.
  id bytea primary key,
  -- A MAC of all that was asked.
  fingerprint bytea not null,
  -- Both null while the request is under way.
  status smallint,
  answer bytea,
  -- Whoever works at it holds it until then; after that its process has died, and a retry may begin anew.
  leased_until timestamptz not null,
  created_at timestamptz not null default now(),
  constraint an_answered_request_has_a_status check ((status is null) = (answer is null))
);
create index idempotent_requests_by_age on idempotent_requests (created_at);

grant select, insert, update, delete on idempotent_requests to tenantry_account;
grant select, delete on idempotent_requests to tenantry_worker;

-- Keeps the answer in the transaction of the change itself, so that there is never the one without the other. False: the
-- lease had ended, and somebody else may be at work.
create function settle_request(request_id bytea, lease timestamptz, with_status smallint, with_answer bytea) returns boolean
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  update idempotent_requests set status = with_status, answer = with_answer
  where id = request_id and leased_until = lease and status is null;
  return found;
end
$$;
revoke all on function settle_request from public;
grant execute on function settle_request to tenantry_tenant, tenantry_account;
