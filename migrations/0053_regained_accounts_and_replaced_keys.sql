-- expand: columns that triggers keep.

-- When an emailed secret last replaced a password that an administrator was shown, or that was chosen before the address was verified: what the
-- account vouched for earlier may be another person's. Null: never.
alter table accounts add column vouches_from timestamptz;
grant select (vouches_from) on accounts to tenantry_tenant;

-- When a node signed with the key again although the service had gone on with another one for more than a day. Null: never.
alter table signing_keys add column superseded_at timestamptz;
