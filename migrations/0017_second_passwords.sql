-- A second password, mailed at the request of a company that does not manage the account, never takes the place of the only
-- one that its owner has: beside a chosen password it is the temporary one, beside a temporary one it is of its own kind.
alter table passwords drop constraint passwords_kind_check, drop constraint only_temporary_passwords_expire;
alter table passwords
  add constraint passwords_kind_check check (kind in ('chosen', 'temporary', 'second')),
  add constraint only_temporary_passwords_expire check ((kind <> 'chosen') = (expires_at is not null));

-- Whether the account may be trusted with more: a company sees it of its members.
grant select (password_shown_at) on accounts to tenantry_tenant;
