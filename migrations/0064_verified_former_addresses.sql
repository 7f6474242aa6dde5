-- expand: a column with a default, functions that only nodes of this version call, and a trigger: what a company sees of an account that it
-- has created ends with its hold on it (functions/sync_membership_from_account.sql).

-- How often a former address is told of what happens in companies depends on whether it had been verified.
alter table email_change_undos add column is_verified boolean not null default false;

drop function if exists restorable_addresses(uuid[]);
drop function if exists find_former_owners(integer);

-- A company that the account has to open anew learns no more of it than one that it has never opened.
grant select (reset_by_link_at) on accounts to tenantry_tenant;
