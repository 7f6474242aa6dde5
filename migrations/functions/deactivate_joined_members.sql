-- Deactivates the current account in the companies that it has become a member of since then, and records it there with the ids
-- given, one for each company. One statement, because they may be two thousand. An owner stays active where no other owner is active
-- whose account is not disabled; one who only lacks the second factor that the policy asks for can add it, and counts. `locked`: what
-- lock_joined_companies returned; the transaction starts again where another company has got the account since. The account is locked.
create or replace function deactivate_joined_members(
  since timestamptz, locked uuid[], record_ids uuid[], given_request_id text
) returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform from memberships where account_id = current_account() and created_at > since - interval '10 seconds' and company_id <> all (locked);
  if found then
    raise exception 'account % has become a member of another company meanwhile', current_account()
      using errcode = 'serialization_failure';
  end if;

  with deactivated as (
    update memberships set status = 'inactive', updated_at = clock_timestamp()
    where account_id = current_account() and created_at > since - interval '10 seconds' and status = 'active'
      -- `offset 0`: looked at for these companies alone, never hashed for all of the installation.
      and (
        not exists (
          select from membership_roles held join roles on roles.company_id = held.company_id and roles.id = held.role_id
          where held.company_id = memberships.company_id and held.account_id = current_account() and roles.system_key = 'owner' offset 0)
        or exists (
          select
          from roles
          join membership_roles held on held.company_id = roles.company_id and held.role_id = roles.id
          join memberships owners on owners.company_id = held.company_id and owners.account_id = held.account_id
          join accounts on accounts.id = owners.account_id and accounts.disabled_at is null
          where roles.company_id = memberships.company_id and roles.system_key = 'owner'
            and held.account_id <> current_account() and owners.status = 'active' and owners.opened_at is not null offset 0))
    returning company_id, account_id, name, email),
  counted as (
    update company_counters
    set active_members = active_members - 1, inactive_members = inactive_members + 1
    from deactivated where company_counters.company_id = deactivated.company_id),
  -- An offer can't be accepted once either side is inactive.
  ended as (
    delete from ownership_offers using deactivated
    where ownership_offers.company_id = deactivated.company_id and deactivated.account_id in (from_id, to_id))
  -- As `record` writes it, for what an account does in a company without being seen there.
  insert into audit_records (id, company_id, v, action, outcome, actor_id, actor_name, actor_email,
    target_type, target_id, target_label, changes, request_id, actor_kind)
  select given.record_id, company_id, 2, 'users.deactivate_undone', 'done', account_id, name, email,
    'member', account_id::text, email, '{"status": {"from": "active", "to": "inactive"}}', given_request_id, 'person'
  from deactivated join unnest(locked, record_ids) as given (company_id, record_id) using (company_id);
end
$$;
revoke all on function deactivate_joined_members from public;
grant execute on function deactivate_joined_members to tenantry_account;
