-- The longest pause of a session since its last proof (closed_by), noted with each exchange of its refresh token: since the last sign of the
-- person who uses it. A trigger, because a node of 0.2.0 exchanges tokens as well.
create or replace function note_longest_pause() returns trigger
language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  new.longest_pause := greatest(
    old.longest_pause, now() - greatest(old.last_used_at, old.authenticated_at, old.second_factor_at));
  return new;
end
$$;
revoke all on function note_longest_pause from public;

create or replace trigger note_longest_pause before update of refresh_id on sessions
  for each row execute function note_longest_pause();
