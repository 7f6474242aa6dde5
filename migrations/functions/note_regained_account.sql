-- An administrator was shown a password of the account, and now an emailed secret has replaced it, or the address is another one: what the
-- account vouched for until then may be the administrator's, who may have been removed since, and gives nothing any more (standsBy in
-- src/access/owners.ts). What it was offered stays where the address does, because it was offered to that person (end_offers_of_shown).
create or replace function note_regained_account() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  -- settle_vouching writes the end of the transaction.
  new.vouches_from := clock_timestamp();
  return new;
end
$$;
revoke all on function note_regained_account from public;

create or replace trigger note_regained_account before update of password_shown_at on accounts
  for each row when (old.password_shown_at is not null and new.password_shown_at is null)
  execute function note_regained_account();
