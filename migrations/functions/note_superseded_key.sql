-- A key that no node signed with for more than a day, while nodes signed with another one, is not the service's any more, whatever was signed
-- with it before: who signs with it again has got a former secret.
create or replace function note_superseded_key() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if exists (
    select from signing_keys others
    where others.kid <> new.kid and others.last_seen_at > old.last_seen_at + interval '1 day'
      and others.first_seen_at <= new.last_seen_at - interval '1 day')
  then
    new.superseded_at := new.last_seen_at;
  end if;
  return new;
end
$$;
revoke all on function note_superseded_key from public;

create or replace trigger note_superseded_key before update of last_seen_at on signing_keys
  for each row when (new.last_seen_at > old.last_seen_at + interval '1 day') execute function note_superseded_key();
