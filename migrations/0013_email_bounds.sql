-- Who caused an email, where that is bounded: the company it was sent for, and the account that asked.
alter table letters
  add column sender_company_id uuid,
  add column sender_account_id uuid;
create index letters_of_sending_company on letters (sender_company_id, created_at) where sender_company_id is not null;
create index letters_of_sending_account on letters (sender_account_id, created_at) where sender_account_id is not null;

-- Puts an email into the outbox and gives null, unless its recipient has had enough of this kind within the hour, or its
-- sender has sent enough of any kind: then it is not written, and the seconds are given after which it would be. A limit
-- that is null bounds nothing. The locks make emails that are counted together queue up, so that the counts are right
-- however many come at once. They are taken in this order by everything: company, account, recipient.
drop function post_letter;
create function enqueue_email(
  email_id uuid, email_kind text, to_email text, to_name text, to_locale text,
  email_params jsonb, email_secret_id uuid, valid_until timestamptz,
  by_company uuid, by_account uuid, recipient_limit integer, sender_limit integer
) returns integer
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  -- The email that has to be an hour old before another one is within each limit: the latest of them decides.
  awaited timestamptz;
begin
  if sender_limit is not null and by_company is not null then
    perform pg_advisory_xact_lock(hashtextextended('emails of company ' || by_company, 0));
  end if;
  if sender_limit is not null and by_account is not null then
    perform pg_advisory_xact_lock(hashtextextended('emails of account ' || by_account, 0));
  end if;
  if recipient_limit is not null then
    perform pg_advisory_xact_lock(hashtextextended(email_kind || ' ' || to_email, 0));
  end if;
  awaited := greatest(
    (select created_at from letters
      where sender_company_id = by_company and created_at > now() - interval '1 hour' and sender_limit is not null
      order by created_at desc offset sender_limit - 1 limit 1),
    (select created_at from letters
      where sender_account_id = by_account and created_at > now() - interval '1 hour' and sender_limit is not null
      order by created_at desc offset sender_limit - 1 limit 1),
    (select created_at from letters
      where recipient_email = to_email and kind = email_kind and created_at > now() - interval '1 hour'
        and recipient_limit is not null
      order by created_at desc offset recipient_limit - 1 limit 1));
  if awaited is not null then
    return greatest(1, ceil(extract(epoch from awaited + interval '1 hour' - clock_timestamp())));
  end if;
  insert into letters (id, kind, recipient_email, recipient_name, locale, params, secret_id, expires_at,
    sender_company_id, sender_account_id)
  values (email_id, email_kind, to_email, to_name, to_locale, email_params, email_secret_id, valid_until,
    by_company, by_account);
  return null;
end
$$;
revoke all on function enqueue_email from public;
grant execute on function enqueue_email to tenantry_account, tenantry_tenant;

-- Somebody asked to recover the password of an address. The row is the same whether the address has an account or not,
-- and all that is written before the answer; the mail worker looks for the account, and removes the row. The address is
-- encrypted, because most that are asked for by guessers belong to people who have nothing to do with the service.
create table recovery_requests (
  id uuid primary key,
  -- A MAC: tells which requests are about one address.
  address_mac bytea not null,
  sealed_address bytea not null,
  network cidr not null,
  ip inet not null,
  user_agent text not null,
  request_id text not null,
  -- A request that could not be handled is tried again later than the others.
  retry_at timestamptz not null default now(),
  created_at timestamptz not null default now()
);
create index recovery_requests_due on recovery_requests (retry_at, id);
create index recovery_requests_of_address on recovery_requests (address_mac, network);
create index recovery_requests_by_age on recovery_requests (created_at);

-- Each link to recover a password that was sent, by whether the account knew the network that asked for it: strangers and
-- those who sign in to an account are bounded apart.
create table sent_recoveries (
  account_id uuid not null references accounts on delete cascade,
  network_is_known boolean not null,
  created_at timestamptz not null default now()
);
create index sent_recoveries_of_account on sent_recoveries (account_id, network_is_known, created_at);
create index sent_recoveries_by_age on sent_recoveries (created_at);

grant select, insert on recovery_requests, sent_recoveries to tenantry_account;
grant select, update, delete on recovery_requests to tenantry_worker;
grant select, delete on sent_recoveries to tenantry_worker;
