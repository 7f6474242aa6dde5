-- Writes an email to the outbox and returns null, unless its recipient has got enough emails of this kind within the hour or its
-- sender has sent enough of any kind: then it writes nothing and returns the seconds until it would.
--
-- A company's emails count for that company and the recipient, so that no company uses up what another one may send, and
-- within a wider limit for the mailbox over all companies. A limit that is null does not apply. The locks make emails that count
-- together queue up, so that the counts are right however many come at once. Every writer takes them in this order: company,
-- account, recipient.
create or replace function enqueue_email(
  email_id uuid, email_kind text, to_email text, to_name text, to_locale text,
  email_params jsonb, email_secret_id uuid, valid_until timestamptz,
  by_company uuid, by_account uuid, recipient_limit integer, mailbox_limit integer, sender_limit integer
) returns integer
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  -- When the email was written that must be an hour old before another one is within every limit: the latest decides.
  blocking timestamptz;
begin
  if sender_limit is not null and by_company is not null then
    perform pg_advisory_xact_lock(hashtextextended('emails of company ' || by_company, 0));
  end if;
  if sender_limit is not null and by_account is not null then
    perform pg_advisory_xact_lock(hashtextextended('emails of account ' || by_account, 0));
  end if;
  if coalesce(recipient_limit, mailbox_limit) is not null then
    perform pg_advisory_xact_lock(hashtextextended(email_kind || ' ' || to_email, 0));
  end if;
  blocking := greatest(
    (select created_at from emails
      where sender_company_id = by_company and sender_account_id is not null
        and created_at > now() - interval '1 hour' and sender_limit is not null
      order by created_at desc offset sender_limit - 1 limit 1),
    (select created_at from emails
      where sender_account_id = by_account and created_at > now() - interval '1 hour' and sender_limit is not null
      order by created_at desc offset sender_limit - 1 limit 1),
    (select created_at from emails
      where recipient_email = to_email and kind = email_kind and created_at > now() - interval '1 hour'
        and (by_company is null or sender_company_id = by_company) and recipient_limit is not null
      order by created_at desc offset recipient_limit - 1 limit 1),
    (select created_at from emails
      where recipient_email = to_email and kind = email_kind and created_at > now() - interval '1 hour'
        and mailbox_limit is not null
      order by created_at desc offset mailbox_limit - 1 limit 1));
  if blocking is not null then
    return greatest(1, ceil(extract(epoch from blocking + interval '1 hour' - clock_timestamp())));
  end if;
  insert into emails (id, kind, recipient_email, recipient_name, locale, params, secret_id, expires_at,
    sender_company_id, sender_account_id)
  values (email_id, email_kind, to_email, to_name, to_locale, email_params, email_secret_id, valid_until,
    by_company, by_account);
  return null;
end
$$;
revoke all on function enqueue_email from public;
grant execute on function enqueue_email to tenantry_account, tenantry_tenant;
