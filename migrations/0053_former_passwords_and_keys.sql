-- expand: columns that triggers keep.

-- Until when an administrator may have been signed in to the account by a password that was shown. Null: never, or still.
alter table accounts add column shown_until timestamptz;
grant select (shown_until) on accounts to tenantry_tenant;

-- When a node signed with the key again although the service had gone on with another one for more than a day. Null: never.
alter table signing_keys add column superseded_at timestamptz;
