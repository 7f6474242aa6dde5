-- A company has an active Owner who has opened it, at every moment. This trigger is the backstop for whatever writes; the
-- service checks first and answers with a problem. The trigger locks the company before it counts, so that two transactions
-- that each remove the other Owner can't both pass: not against foreign keys, because who records something in a company again and again would
-- keep its owner from every change of a member.
create or replace function check_company_has_owner() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  company uuid := case when tg_table_name = 'companies' then to_jsonb(new) ->> 'id' else to_jsonb(old) ->> 'company_id' end;
begin
  -- A member who loses another role takes no Owner away: a hundred thousand members may do so at once.
  if tg_table_name = 'membership_roles' then
    perform from roles where id = old.role_id and system_key is distinct from 'owner';
    if found then return null; end if;
  end if;
  -- A role that was taken away or deleted with the membership is looked at above.
  if tg_table_name = 'memberships' then
    perform from membership_roles held join roles on roles.company_id = company and roles.id = held.role_id
    where held.company_id = company and held.account_id = old.account_id and roles.system_key = 'owner';
    if not found then return null; end if;
  end if;
  perform from companies where id = company and deleted_at is null for no key update;
  if not found then return null; end if;
  -- Nor who has that of Owners by another one, for which a role that gives way to it is exchanged. Behind the lock, because two
  -- transactions might each take one of the two.
  if tg_table_name = 'membership_roles' then
    perform from membership_roles held join roles on roles.company_id = company and roles.id = held.role_id
    where held.company_id = company and held.account_id = old.account_id and roles.system_key = 'owner';
    if found then return null; end if;
  end if;
  -- From the role to its members, one after the other: joined freely, the planner reads the members of all companies.
  perform from (
    select held.account_id
    from roles
    cross join lateral (
      select account_id from membership_roles where company_id = company and role_id = roles.id offset 0
    ) held
    where roles.company_id = company and roles.system_key = 'owner' limit 2001) held
  cross join lateral (
    select from memberships
    where company_id = company and account_id = held.account_id and status = 'active' and opened_at is not null offset 0
  ) owners
  limit 1;
  if found then return null; end if;
  -- One call makes Owners of all members with a role, none of whom may count. Those who do are often among the first or the last members.
  perform from (
    (select account_id from memberships where company_id = company order by created_at, account_id limit 20000)
    union all
    (select account_id from memberships where company_id = company order by created_at desc, account_id desc limit 20000)) ends
  cross join lateral (
    select from memberships
    where company_id = company and account_id = ends.account_id and status = 'active' and opened_at is not null offset 0) counting
  cross join lateral (
    select from membership_roles held join roles on roles.company_id = company and roles.id = held.role_id
    where held.company_id = company and held.account_id = ends.account_id and roles.system_key = 'owner' limit 1) owner
  limit 1;
  if not found and not exists (
    select
    from roles
    cross join lateral (
      select account_id from membership_roles where company_id = company and role_id = roles.id offset 0
    ) held
    cross join lateral (
      select from memberships
      where company_id = company and account_id = held.account_id and status = 'active' and opened_at is not null offset 0
    ) owners
    where roles.company_id = company and roles.system_key = 'owner'
  ) then
    raise exception 'company % would be without an Owner', company
      using errcode = 'check_violation', constraint = 'company_has_owner';
  end if;
  return null;
end
$$;
revoke all on function check_company_has_owner from public;

drop trigger if exists company_has_owner on companies;
-- Also when a deleted company is restored.
create constraint trigger company_has_owner after insert or update of deleted_at on companies
  deferrable initially deferred for each row execute function check_company_has_owner();

drop trigger if exists company_has_owner on membership_roles;
create constraint trigger company_has_owner after update or delete on membership_roles
  deferrable initially deferred for each row execute function check_company_has_owner();

drop trigger if exists company_has_owner on memberships;
create constraint trigger company_has_owner after update of status or delete on memberships
  deferrable initially deferred for each row execute function check_company_has_owner();

drop trigger if exists company_has_owner on roles;
create constraint trigger company_has_owner after update of system_key or delete on roles
  deferrable initially deferred for each row execute function check_company_has_owner();
