-- A person who can sign in and be a member of any number of companies.
create table accounts (
  id uuid primary key,
  email text not null constraint accounts_email_key unique,
  email_verified_at timestamptz,
  -- The address that the account changes to once it is verified.
  pending_email text,
  name text not null,
  -- The name without letter case and accents, computed by the service (src/lib/text.ts).
  name_folded text collate "C" not null default '',
  phone text not null default '',
  avatar_url text,
  position text not null default '',
  document_type text not null default '',
  document_number text not null default '',
  timezone text not null default '',
  locale text not null default '',
  -- The company that created this account by adding a member; null for an account that signed up.
  managed_by uuid references companies on delete set null,
  -- True while the account has no password but temporary ones.
  must_change_password boolean not null default false,
  -- When an administrator last saw a password of this account; null once an emailed secret has verified its address since.
  password_shown_at timestamptz,
  -- How many companies the account has opened. Triggers count, so that a member list tells at no cost which members belong
  -- to no other company.
  opened_companies integer not null default 0 check (opened_companies >= 0),
  -- Counts the changes of the passwords and of the address. A number and not a moment, because clocks step back and a
  -- transaction that began earlier may commit later. See docs/decisions/0021-stored-responses.md.
  credentials_version bigint not null default 0,
  -- An operator has disabled the account: no password, link or token opens it, until an operator enables it.
  disabled_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint accounts_email_format_check check (email = lower(email) and length(email) <= 254),
  constraint accounts_password_shown_at_check check (password_shown_at is null or email_verified_at is null)
);
-- For the purge of a company, which clears managed_by: without this index every purge reads all accounts.
create index accounts_managed_by on accounts (managed_by) where managed_by is not null;

alter table accounts enable row level security;
create policy everyone on accounts to tenantry_account using (true);
grant select, insert, update on accounts to tenantry_account;

-- The password that its owner chose, one temporary password, and one that was emailed beside the only one the owner has.
create table passwords (
  account_id uuid not null references accounts on delete cascade,
  -- 'second': emailed at the request of a company that does not manage the account. It never replaces the owner's only
  -- password: beside a chosen password it is the temporary one, beside a temporary one it has this kind of its own.
  kind text not null check (kind in ('chosen', 'temporary', 'second')),
  hash text not null,
  expires_at timestamptz,
  -- Signing in with an emailed password verifies the address.
  emailed boolean not null default false,
  -- An emailed password is derived from this id and APP_SECRET when the email is sent.
  secret_id uuid unique,
  created_at timestamptz not null default now(),
  primary key (account_id, kind),
  constraint passwords_expires_at_check check ((kind <> 'chosen') = (expires_at is not null))
);

create table sessions (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  -- True for a session that a temporary password opened, until the account has a chosen password.
  must_change_password boolean not null default false,
  -- The valid refresh token, and the token before it with the moment of the exchange.
  refresh_id uuid not null,
  refresh_expires_at timestamptz not null,
  previous_refresh_id uuid,
  rotated_at timestamptz not null default clock_timestamp(),
  -- The process that made the exchange: it alone knows exactly which requests came at the same time.
  rotated_by uuid,
  -- Hashes of the Idempotency-Keys of the last exchange: their senders may ask for the same pair of tokens again.
  rotation_keys text[] not null default '{}',
  -- The tokens that were exchanged shortly before the previous one, newest first, and when. Empty unless exchanges follow each
  -- other within seconds.
  recent_ids uuid[] not null default '{}',
  recent_times timestamptz[] not null default '{}',
  -- The account's credentials_version when the present pair of tokens was issued.
  credentials_version bigint not null default 0,
  -- When the account's owner was notified that a used refresh token of this session was presented again.
  reuse_notified_at timestamptz,
  user_agent text not null default '',
  ip inet not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  revoked_reason text,
  constraint sessions_revoked_reason_check check ((revoked_at is null) = (revoked_reason is null))
);
create index sessions_of_account on sessions (account_id) where revoked_at is null;
create index sessions_by_expiry on sessions (expires_at);
create index sessions_by_revoked_at on sessions (revoked_at) where revoked_at is not null;

-- The link in an email. One row for each account and purpose, so that a newer link replaces the older one.
create table one_time_links (
  account_id uuid not null references accounts on delete cascade,
  purpose text not null check (purpose in ('confirm_email', 'change_email', 'reset_password')),
  id uuid not null unique,
  email text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  primary key (account_id, purpose)
);

-- The link that undoes a change of address, emailed to the address before. In a table of its own: unlike the others it
-- survives changes of the password and of the address, and an account may have several. While it is valid no other account
-- can take the address that it restores, if that is reserved. See docs/decisions/0026.
create table email_change_undos (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  -- The address that the link restores.
  email text not null,
  -- The account's credentials_version after the change: a later change has a greater one.
  credentials_version bigint not null,
  -- False for an address that was never verified where addresses have to be: it may be another person's.
  is_reserved boolean not null,
  expires_at timestamptz not null,
  created_at timestamptz not null default now()
);
create index email_change_undos_of_account on email_change_undos (account_id);
create index email_change_undos_of_email on email_change_undos (email);

-- Failed attempts to sign in, for each address, whether an account has the address or not.
create table password_attempts (
  email text primary key,
  failures integer not null,
  window_started_at timestamptz not null default now(),
  blocked_until timestamptz
);
create index password_attempts_by_age on password_attempts (window_started_at);

-- The networks that an account signed in from: an IPv4 address or an IPv6 /64. Guesses from other networks can't lock the
-- owner out of these.
create table known_networks (
  account_id uuid not null references accounts on delete cascade,
  network cidr not null,
  last_sign_in_at timestamptz not null default now(),
  primary key (account_id, network)
);
create index known_networks_by_age on known_networks (last_sign_in_at);

grant select, insert, update, delete on passwords, sessions, one_time_links, password_attempts, known_networks
  to tenantry_account;
grant select, insert, delete on email_change_undos to tenantry_account;
grant select (secret_id, expires_at) on passwords to tenantry_worker;
grant select, delete on sessions, one_time_links, email_change_undos, password_attempts, known_networks to tenantry_worker;

-- Requests for a link to an address: to reset the password, or to confirm the address after signing up. The row is the same whether an account has the address or not, and it is
-- all that is written before the response; the email worker looks for the account and deletes the row. The address is
-- encrypted, because most addresses that guessers try belong to people who have nothing to do with the service.
create table link_requests (
  id uuid primary key,
  purpose text not null check (purpose in ('confirm_email', 'reset_password')),
  -- A MAC: equal for requests with the same address.
  email_mac bytea not null,
  encrypted_email bytea not null,
  network cidr not null,
  ip inet not null,
  user_agent text not null,
  request_id text not null,
  -- A request that failed is retried after the others.
  retry_at timestamptz not null default now(),
  created_at timestamptz not null default now()
);
create index link_requests_due on link_requests (retry_at, id);
create index link_requests_of_email on link_requests (email_mac, network, purpose);
create index link_requests_by_age on link_requests (created_at);

-- Each link that was sent for a request in link_requests, by purpose and by whether the account knew the network of the
-- request: requests from known and from unknown networks have separate limits.
create table sent_links (
  account_id uuid not null references accounts on delete cascade,
  purpose text not null check (purpose in ('reset_password', 'confirm_email')),
  network_is_known boolean not null,
  created_at timestamptz not null default now()
);
create index sent_links_of_account on sent_links (account_id, purpose, network_is_known, created_at);
create index sent_links_by_age on sent_links (created_at);

grant select, insert on link_requests, sent_links to tenantry_account;
grant select, update, delete on link_requests to tenantry_worker;
grant select, delete on sent_links to tenantry_worker;
