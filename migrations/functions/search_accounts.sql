-- Accounts that the current account can see, members of companies where it has users:read in this session, by a fragment of name or address; and
-- the account that has exactly this address. Members of companies that the current account has opened come first, so that no
-- company full of strangers crowds them out.
create or replace function search_accounts(
  pattern text, exact_email text, found_max integer, session_id uuid default null, address inet default null)
returns table (id uuid, name text, email text)
language plpgsql stable security definer set search_path = pg_catalog, public, pg_temp set plan_cache_mode = force_custom_plan as $$
begin
  return query
    select accounts.id, accounts.name, accounts.email
    from (
      select seen_accounts.account_id, bool_or(seen_accounts.is_known) as is_known
      from (
        select hit.account_id, own.opened_at is not null as is_known
        from companies_with_permission('users:read', session_id, address) as seen (company_id)
        join memberships own on own.company_id = seen.company_id and own.account_id = current_account()
        cross join lateral (
          -- Gathered before it is sorted: else the planner may walk a whole company in the order of names.
          with found as materialized (
            select m.account_id, m.name_folded from memberships m
            where m.company_id = seen.company_id and m.search like pattern limit 10000)
          select found.account_id from found order by found.name_folded, found.account_id limit found_max
        ) hit
        union all
        select other.id, true from accounts other where other.email = exact_email and current_company() is not null
      ) seen_accounts
      group by seen_accounts.account_id
    ) hits
    join accounts on accounts.id = hits.account_id
    order by accounts.email <> exact_email, not hits.is_known, accounts.name_folded, accounts.id limit found_max;
end
$$;
revoke all on function search_accounts from public;
grant execute on function search_accounts to tenantry_tenant;
