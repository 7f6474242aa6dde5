-- The service connects as the owner of this database and acts as one of these roles, which own nothing:
--   tenantry_none     the role of every connection between transactions; it has no rights, so a statement without a scope fails
--   tenantry_account  account routes and public routes: accounts and sessions; of companies only what is the account's own
--   tenantry_tenant   company routes: the rows of one company, by row-level security
--   tenantry_worker   background work: sending emails, deleting expired rows
-- Roles belong to the whole server, so another database of the same owner may have created them already.
do $$
declare
  role_name text;
begin
  foreach role_name in array array['tenantry_none', 'tenantry_account', 'tenantry_tenant', 'tenantry_worker'] loop
    if not exists (select from pg_roles where rolname = role_name) then
      begin
        execute format('create role %I nologin noinherit', role_name);
      exception when duplicate_object or unique_violation then
        null; -- Another database was migrated at the same moment.
      end;
    end if;
    begin
      perform set_config('role', role_name, true), set_config('role', 'none', true);
    exception when insufficient_privilege then
      execute format('grant %I to %I', role_name, session_user);
    end;
  end loop;
end
$$;

create extension if not exists pg_trgm;
create extension if not exists btree_gin;

-- These two functions stand here and not in functions/, because defaults and policies of the tables use them. A policy uses them
-- in a subquery: then the planner does not look at the value. Otherwise the plan that a connection keeps for a statement would be
-- the one for the company that came first, and a plan for a company of three members reads all of a large one.

-- The company that the current transaction acts in; null outside of a company.
create function current_company() returns uuid
language sql stable parallel safe
return nullif(current_setting('app.company_id', true), '')::uuid;

-- The account that the current transaction acts for; null before the account is known.
create function current_account() returns uuid
language sql stable parallel safe
return nullif(current_setting('app.account_id', true), '')::uuid;
