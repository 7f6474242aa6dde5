-- A person who can sign in, in however many companies.
create table accounts (
  id uuid primary key,
  email text not null constraint accounts_email_key unique,
  email_verified_at timestamptz,
  pending_email text,
  name text not null,
  phone text not null default '',
  avatar_url text,
  position text not null default '',
  document_type text not null default '',
  document_number text not null default '',
  timezone text not null default '',
  locale text not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint accounts_email_is_folded check (email = lower(email) and length(email) <= 254)
);

-- The password that its owner chose, and at most one temporary password, beside it or in its place.
create table passwords (
  account_id uuid not null references accounts on delete cascade,
  kind text not null check (kind in ('chosen', 'temporary')),
  hash text not null,
  expires_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (account_id, kind),
  constraint only_temporary_passwords_expire check ((kind = 'temporary') = (expires_at is not null))
);

create table sessions (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  -- True for a session that a temporary password opened, until its owner has chosen a password.
  must_change_password boolean not null default false,
  -- The one refresh token that is good now, and the one before it with the moment it was exchanged.
  refresh_id uuid not null,
  refresh_expires_at timestamptz not null,
  previous_refresh_id uuid,
  rotated_at timestamptz not null default clock_timestamp(),
  -- The Idempotency-Keys of the last exchange, hashed: their senders may ask for the same pair again.
  rotation_keys text[] not null default '{}',
  -- Refresh tokens exchanged within the last seconds, with the moment: { "<id>": "<time>" }.
  recently_spent jsonb not null default '{}',
  user_agent text not null default '',
  ip inet not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  revoked_because text,
  constraint a_revoked_session_has_a_reason check ((revoked_at is null) = (revoked_because is null))
);
create index sessions_of_account on sessions (account_id) where revoked_at is null;
create index sessions_by_expiry on sessions (expires_at);

-- The link in a letter. One row for each account and purpose, so that a newer link replaces the older one.
create table one_time_links (
  account_id uuid not null references accounts on delete cascade,
  purpose text not null check (purpose in ('confirm_email', 'change_email', 'reset_password')),
  id uuid not null unique,
  email text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  primary key (account_id, purpose)
);

-- Tries to guess a password, for each address, whether an account has it or not.
create table sign_in_attempts (
  email text primary key,
  failures integer not null,
  window_started_at timestamptz not null default now(),
  blocked_until timestamptz
);
create index sign_in_attempts_by_age on sign_in_attempts (window_started_at);

-- Where an account signed in from: an IPv4 address or an IPv6 /64. Guessing elsewhere can't lock its owner out here.
create table known_networks (
  account_id uuid not null references accounts on delete cascade,
  network cidr not null,
  last_sign_in_at timestamptz not null default now(),
  primary key (account_id, network)
);

grant select, insert, update on accounts to tenantry_account;
grant select, insert, update, delete on passwords, sessions, one_time_links, sign_in_attempts, known_networks
  to tenantry_account;
grant select, delete on sessions, one_time_links, sign_in_attempts, known_networks to tenantry_worker;
