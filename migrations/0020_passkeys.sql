-- expand: a new table, and new columns that may be null.
-- What passkeys and the first second factor of an account need besides: docs/decisions/0049-passkeys.md.

-- The last time that the passkey was refused because its counter had gone back, as that of a copy does.
alter table second_factors add column copied_at timestamptz;

-- Until then the account is new in this network, so that its user proves the mailbox before a first second factor is
-- created. Null: it is known of before, or the mailbox was proved there.
alter table known_networks add column new_until timestamptz;
alter table known_networks alter column new_until set default now() + interval '24 hours';

-- The code that a session was sent by email last. It is derived from the id, so neither this row nor the outbox has it.
create table mailbox_codes (
  session_id uuid primary key references sessions on delete cascade,
  id uuid not null,
  -- What the code shows to be the reader's.
  email text not null,
  tries integer not null default 0,
  expires_at timestamptz not null
);
create index mailbox_codes_by_expiry on mailbox_codes (expires_at);

grant select, insert, update, delete on mailbox_codes to tenantry_account;
grant select, delete on mailbox_codes to tenantry_worker;
