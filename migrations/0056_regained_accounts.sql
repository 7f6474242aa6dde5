-- expand: a column that triggers and functions read.

-- When an emailed secret last replaced a password that was chosen before the address was verified, by a stranger who had signed up with it
-- perhaps: what the account vouched for earlier, in companies that others have added it to, may be that stranger's. Null: never.
alter table accounts add column regained_at timestamptz;
grant select (regained_at) on accounts to tenantry_tenant;
