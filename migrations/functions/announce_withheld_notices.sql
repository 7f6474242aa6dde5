-- Writes the one email within the hour which says that notices to this address were withheld. The lock is tried alone: a notice of any
-- kind may come before it, so waiting could end in a circle, and who has it writes this email.
create or replace function announce_withheld_notices(
  email_id uuid, to_email text, to_name text, to_locale text, email_params jsonb, valid_until timestamptz
) returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if not pg_try_advisory_xact_lock(hashtextextended('notices_withheld ' || to_email, 0)) then
    return;
  end if;
  if not exists (
    select from emails
    where recipient_email = to_email and kind = 'notices_withheld' and created_at > now() - interval '1 hour') then
    insert into emails (id, kind, recipient_email, recipient_name, locale, params, expires_at)
    values (email_id, 'notices_withheld', to_email, to_name, to_locale, email_params, valid_until);
  end if;
end
$$;
revoke all on function announce_withheld_notices from public;
grant execute on function announce_withheld_notices to tenantry_account, tenantry_tenant;
