-- The outbox: a letter is written in the transaction of the change that causes it, and delivered after the commit.
-- No row opens an account: a link or a password is derived from `secret_id` and APP_SECRET when the letter is sent.
create table letters (
  id uuid primary key,
  kind text not null,
  recipient_email text not null,
  recipient_name text not null,
  locale text not null default '',
  params jsonb not null default '{}',
  secret_id uuid,
  state text not null default 'waiting' check (state in ('waiting', 'sent', 'failed')),
  attempts integer not null default 0,
  next_attempt_at timestamptz not null default now(),
  -- Whoever works at a letter holds it until then; a worker that died lets go by that.
  leased_until timestamptz,
  last_error text,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  constraint a_finished_letter_has_an_end check ((state = 'waiting') = (finished_at is null))
);
create index letters_waiting on letters (next_attempt_at) where state = 'waiting';
create index letters_of_recipient on letters (recipient_email, kind, created_at);
create index letters_finished on letters (finished_at) where state <> 'waiting';

grant select, update, delete on letters to tenantry_worker;

-- Puts a letter into the outbox unless its recipient has had enough of that kind within the hour, and tells which.
-- The lock makes two letters to one recipient queue up, so that the count is right however many come at once.
create function post_letter(
  letter_id uuid, letter_kind text, to_email text, to_name text, to_locale text,
  letter_params jsonb, letter_secret_id uuid, valid_until timestamptz, hourly_limit integer
) returns boolean
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(letter_kind || ' ' || to_email, 0));
  if (
    select count(*) from letters
    where recipient_email = to_email and kind = letter_kind and created_at > now() - interval '1 hour'
  ) >= hourly_limit then
    return false;
  end if;
  insert into letters (id, kind, recipient_email, recipient_name, locale, params, secret_id, expires_at)
  values (letter_id, letter_kind, to_email, to_name, to_locale, letter_params, letter_secret_id, valid_until);
  return true;
end
$$;
revoke all on function post_letter from public;
grant execute on function post_letter to tenantry_account, tenantry_tenant;
