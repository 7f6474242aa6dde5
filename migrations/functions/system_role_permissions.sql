-- What each system role gives: the lists of src/access/system-roles.ts, which a test compares with these. A version that
-- changes them begins the backfill `system_roles` again: docs/decisions/0046-permissions-of-system-roles.md.
create or replace function system_role_permissions(key text) returns text[]
language sql immutable parallel safe set search_path = pg_catalog, public, pg_temp
begin atomic
  select case key
    when 'owner' then array[
      'companies:update', 'companies:delete',
      'users:read', 'users:create', 'users:update', 'users:delete',
      'branches:read', 'branches:create', 'branches:update', 'branches:delete',
      'roles:read', 'roles:create', 'roles:update', 'roles:delete',
      'permissions:read', 'audit:read', 'policy:read', 'policy:update', 'domains:read']
    when 'admin' then array[
      'companies:update',
      'users:read', 'users:create', 'users:update', 'users:delete',
      'branches:read', 'branches:create', 'branches:update', 'branches:delete',
      'roles:read', 'roles:create', 'roles:update', 'roles:delete',
      'permissions:read', 'audit:read', 'policy:read', 'policy:update', 'domains:read']
    when 'manager' then array[
      'users:read', 'users:create', 'users:update',
      'branches:read', 'branches:create', 'branches:update', 'branches:delete',
      'roles:read', 'permissions:read', 'audit:read']
    when 'member' then array['users:read', 'branches:read', 'roles:read', 'permissions:read']
  end;
end;
revoke all on function system_role_permissions from public;
