-- Of these members and former owners of the current company, the address from which an undo can take the account back, the oldest one: who reads the
-- present address may be an intruder, to whom alone notices about the company would go otherwise.
create or replace function restorable_addresses(account_ids uuid[]) returns table (id uuid, email text)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select distinct on (undo.account_id) undo.account_id, undo.email
  from email_change_undos undo join accounts on accounts.id = undo.account_id
  where undo.account_id = any (account_ids) and undo.expires_at > now() and undo.email <> accounts.email
    and (exists (select from memberships where memberships.company_id = current_company() and memberships.account_id = undo.account_id)
      or exists (select from former_owners where former_owners.company_id = current_company() and former_owners.account_id = undo.account_id))
  order by undo.account_id, undo.credentials_version;
end;
revoke all on function restorable_addresses from public;
grant execute on function restorable_addresses to tenantry_tenant;
