-- expand: a new table.

-- An operator has announced that the second factors of an account will be removed, and its owner may still cancel it:
-- docs/decisions/0044-second-factor.md.
create table factor_resets (
  -- What the token of the link in the email is derived from.
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  -- Where it was announced: it is worth nothing while the account has another address.
  email text not null,
  -- Who has asked for it, for the record of its end.
  operator_name text not null,
  request_id text not null,
  reason text,
  created_at timestamptz not null default now(),
  -- Not before this, and not before the email was sent as long ago.
  due_at timestamptz not null,
  constraint factor_resets_account_id_key unique (account_id)
);
create index factor_resets_by_time on factor_resets (due_at);
grant select, insert, update, delete on factor_resets to tenantry_account;
grant select, delete on factor_resets to tenantry_worker;
