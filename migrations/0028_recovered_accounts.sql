-- expand: a new column, which is null for all accounts.

-- When the owner, or an operator, last took the account back from an intruder. What it has vouched for until then is not given any
-- more: docs/decisions/0047-invitations.md.
alter table accounts add column recovered_at timestamptz;
grant select (recovered_at) on accounts to tenantry_tenant;
