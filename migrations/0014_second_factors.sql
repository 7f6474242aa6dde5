-- expand: new tables, and new columns with defaults. A node of 0.2.0 opens no session for an account with a second factor: the
-- trigger of functions/check_second_factor.sql refuses, and that node answers 503.
-- How a session was opened, and when its proofs were given: docs/decisions/0044-second-factor.md.
alter table sessions
  -- The last time that this session proved a password or a passkey. It is not known of sessions of before.
  add column authenticated_at timestamptz not null default 'epoch',
  -- The last time that it proved a second factor; null: never.
  add column second_factor_at timestamptz,
  -- The factor that it proved then, which may be gone; null: none, or a recovery code.
  add column second_factor_id uuid,
  -- How it was opened, in the words of RFC 8176.
  add column methods text[] not null default '{pwd}',
  -- What the password that opened it was worth; null: not known.
  add column password_class smallint;
alter table sessions alter column authenticated_at set default now();

alter table accounts
  -- The account has a confirmed second factor. A trigger of second_factors keeps it, so that a request reads it at no cost.
  add column has_second_factor boolean not null default false,
  -- What passkeys know the account by: 32 random bytes and never its id, because authenticators show it.
  add column passkey_handle bytea constraint accounts_passkey_handle_key unique;

-- A copy for the list of a company's members, kept like the others.
alter table memberships add column second_factor boolean not null default false;

-- What an account proves besides its password.
create table second_factors (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  kind text not null check (kind in ('totp', 'passkey')),
  name text not null default '',
  created_at timestamptz not null default now(),
  -- Null until the account has shown that it can use the factor, which counts for nothing before.
  confirmed_at timestamptz,
  last_used_at timestamptz,
  -- Of a TOTP: its secret, sealed under APP_SECRET, and the last time step whose code was used.
  secret bytea,
  last_step bigint,
  -- Of a passkey.
  credential_id bytea constraint second_factors_credential_id_key unique,
  public_key bytea,
  counter bigint,
  transports text[],
  backed_up boolean,
  aaguid uuid,
  constraint second_factors_totp_check check ((kind = 'totp') = (secret is not null)),
  constraint second_factors_passkey_check check (
    (kind = 'passkey') = (credential_id is not null) and (kind = 'passkey') = (public_key is not null))
);
create index second_factors_of_account on second_factors (account_id);
create index second_factors_unconfirmed on second_factors (created_at) where confirmed_at is null;

-- Codes for an account that has lost its other factors, each for one use.
create table recovery_codes (
  account_id uuid not null references accounts on delete cascade,
  -- SHA-256 over the account and the code. A code has 80 random bits, so its hash needs no salt and no slowness.
  hash bytea not null,
  used_at timestamptz,
  primary key (account_id, hash)
);

-- A question that is answered once: at a sign-in between the password and the second factor, and for each passkey.
create table challenges (
  id uuid primary key,
  purpose text not null check (purpose in ('sign_in', 'passkey_sign_in', 'enroll', 'step_up')),
  -- Null: the answer says which account it is.
  account_id uuid references accounts on delete cascade,
  -- The session that asks; null before there is one.
  session_id uuid references sessions on delete cascade,
  -- What an authenticator signs.
  webauthn bytea,
  -- Of a sign-in: which password was right, what it is worth, and the account's credentials_version by then.
  password_kind text check (password_kind in ('chosen', 'temporary', 'second')),
  password_class smallint,
  credentials_version bigint,
  -- How often an answer was tried.
  attempts integer not null default 0,
  network cidr not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index challenges_of_account on challenges (account_id);
create index challenges_of_session on challenges (session_id);
create index challenges_by_expiry on challenges (expires_at);

-- When wrong second factors of an account were tried, the newest first, from all networks together.
create table second_factor_attempts (
  account_id uuid primary key references accounts on delete cascade,
  times timestamptz[] not null default '{}',
  -- When the account was last told by email.
  notified_at timestamptz,
  updated_at timestamptz not null default now()
);
create index second_factor_attempts_by_age on second_factor_attempts (updated_at);

grant select, insert, update, delete on second_factors, recovery_codes, challenges, second_factor_attempts to tenantry_account;
grant select, update (secret), delete on second_factors to tenantry_worker;
grant select, delete on challenges, second_factor_attempts to tenantry_worker;
