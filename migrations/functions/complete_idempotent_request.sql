-- Stores the response in the transaction of the change itself, so that neither exists without the other. False: the claim has
-- expired, and another process may handle the request.
create or replace function complete_idempotent_request(
  request_id bytea, claim timestamptz, response_status smallint, response_body bytea
) returns boolean
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  update idempotent_requests set status = response_status, response = response_body
  where id = request_id and claimed_until = claim and status is null;
  return found;
end
$$;
revoke all on function complete_idempotent_request from public;
grant execute on function complete_idempotent_request to tenantry_tenant, tenantry_account;
