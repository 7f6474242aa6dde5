-- Whether the policy of a company accepts the password that opened a session; null where it asks for nothing. Part of closed_by,
-- and like it without `set search_path`. A password of which nothing is noted passes no rule.
create or replace function accepts_password(company companies, session sessions) returns boolean
language sql immutable parallel safe
return coalesce((session).password_class, -1) = any ((company).policy_passwords);
revoke all on function accepts_password from public;
grant execute on function accepts_password to tenantry_account, tenantry_tenant;
