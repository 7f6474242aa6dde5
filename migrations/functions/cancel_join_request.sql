-- Withdraws a pending request of the current account to join a company. Returns what the company's log needs; no row: there is no
-- such request.
create or replace function cancel_join_request(request uuid)
returns table (company_id uuid, email text)
language sql volatile security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  delete from join_requests
  where id = request and account_id = current_account() and declined_at is null
  returning join_requests.company_id, join_requests.email;
end;
revoke all on function cancel_join_request from public;
grant execute on function cancel_join_request to tenantry_account;
