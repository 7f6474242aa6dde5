-- The outbox: an email is written in the transaction of the change that causes it, and sent after the commit. No row gives
-- access to an account: a link or a password is derived from `secret_id` and APP_SECRET when the email is sent.
create table emails (
  id uuid primary key,
  kind text not null,
  recipient_email text not null,
  -- Whose mail server gets the email: deliveries to one domain never take all places.
  recipient_domain text not null generated always as (split_part(recipient_email, '@', 2)) stored,
  recipient_name text not null,
  locale text not null default '',
  params jsonb not null default '{}',
  secret_id uuid,
  -- The company and the account that caused the email, where that is limited. A notice names its company alone: it counts
  -- for its recipient and not for a sender.
  sender_company_id uuid,
  sender_account_id uuid,
  status text not null default 'pending' check (status in ('pending', 'sent', 'failed')),
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  -- The worker that sends the email has claimed it until then; the claim of a worker that died expires.
  claimed_until timestamptz,
  last_error text,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  constraint emails_finished_at_check check ((status = 'pending') = (finished_at is null))
);
create index emails_pending on emails (next_attempt_at) where status = 'pending';
create index emails_pending_by_domain on emails (recipient_domain, next_attempt_at) where status = 'pending';
create index emails_finished on emails (finished_at) where status <> 'pending';
create index emails_of_recipient on emails (recipient_email, kind, created_at);
create index emails_of_sender_company on emails (sender_company_id, created_at) where sender_account_id is not null;
create index emails_of_sender_account on emails (sender_account_id, created_at) where sender_account_id is not null;

grant select, update, delete on emails to tenantry_worker;
