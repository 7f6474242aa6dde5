-- Of these members and former owners of the current company, the addresses from which an undo can take the account back, the oldest five: who reads the
-- present address may be an intruder, to whom alone notices about the company would go otherwise. Later ones are that intruder's, who
-- can add any number. Not those that anyone else may sign up with meanwhile.
create or replace function restorable_addresses(account_ids uuid[]) returns table (id uuid, email text, is_verified boolean)
language sql stable security definer set search_path = pg_catalog, public, pg_temp
begin atomic
  select accounts.id, undo.email, undo.is_verified
  from accounts
  cross join lateral (
    select undos.email, bool_or(undos.is_verified) as is_verified, min(undos.credentials_version) as since
    from email_change_undos undos
    where undos.account_id = accounts.id and undos.expires_at > now() and undos.is_reserved and undos.email <> accounts.email
    group by undos.email order by since limit 5) undo
  where accounts.id = any (account_ids)
    and (exists (select from memberships where memberships.company_id = current_company() and memberships.account_id = accounts.id)
      or exists (select from former_owners where former_owners.company_id = current_company() and former_owners.account_id = accounts.id));
end;
revoke all on function restorable_addresses from public;
grant execute on function restorable_addresses to tenantry_tenant;
