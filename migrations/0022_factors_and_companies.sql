-- expand: a new table; functions that read across companies take the session as well. A node of 0.2.0 calls them without one.
drop function if exists find_member_companies(uuid);
drop function if exists search_accounts(text, text, integer);
drop function if exists password_reset_authority(uuid);
drop function if exists companies_with_permission(text);

-- The link in the email about a change of factors, for the reader of the mailbox who did not make it: everything of that change and
-- since is removed. docs/decisions/0044-second-factor.md.
create table factor_change_undos (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  -- Where the link was sent: it is worth nothing while the account has another address.
  email text not null,
  -- When the change was made: in its transaction.
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index factor_change_undos_of_account on factor_change_undos (account_id);
create index factor_change_undos_by_expiry on factor_change_undos (expires_at);
grant select, insert, delete on factor_change_undos to tenantry_account;
grant select, delete on factor_change_undos to tenantry_worker;
