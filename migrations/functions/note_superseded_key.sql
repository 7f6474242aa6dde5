-- A key that no node signed with for more than a day, while nodes signed with another one for more than a day, is not the service's any more,
-- whatever was signed with it before: who signs with it again has got a former secret. That holds against the key that took its place, which is the
-- next one after a rotation, and no longer than that one is in use: docs/decisions/0039-rotating-the-secret.md.
create or replace function note_superseded_key() returns trigger
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  successor text;
begin
  if new.last_seen_at > old.last_seen_at + interval '1 day' then
    -- One that is in use now, since a secret may have been replaced more than once meanwhile, and of these the one that most of the audit log is
    -- signed with, as in a comparison of keys in use.
    select kid into successor from signing_keys
    where kid <> new.kid and superseded_by is null
      and last_seen_at >= greatest(first_seen_at, in_use_since, old.last_seen_at) + interval '1 day'
    order by last_seen_at > now() - interval '1 day' desc,
      (select count(*) from audit_signed_with(kid, '00000000-0000-0000-0000-000000000000', -1, 1000)) desc, first_seen_at, kid
    limit 1;
    update signing_keys set in_use_since = new.last_seen_at, superseded_by = coalesce(successor, superseded_by) where kid = new.kid;
    return null;
  end if;

  -- When all running nodes that accept a former key sign with one other key, that one has taken its place, as soon as the former one does not
  -- count by itself any more. Where it is the one that was superseded, the service has gone back to it.
  update signing_keys marked set superseded_by = nullif(accepting.kid, marked.kid)
  from signing_keys former, lateral (
    select min(signing_kid) as kid from nodes
    where stopped_at is null and seen_at > now() - interval '1 minute' and former.kid = any (accepted_kids)
    having count(distinct signing_kid) = 1
  ) accepting
  where former.kid = marked.superseded_by and former.kid <> accepting.kid
    and (former.last_seen_at <= new.last_seen_at - interval '1 day'
      or not exists (select from audit_signed_with(former.kid, '00000000-0000-0000-0000-000000000000', -1, 1)));

  -- It has been in use for a day without the one that had taken its place.
  update signing_keys marked set superseded_by = null
  from signing_keys former
  where former.kid = marked.superseded_by
    and marked.last_seen_at >= greatest(marked.in_use_since, former.last_seen_at) + interval '1 day';
  return null;
end
$$;
revoke all on function note_superseded_key from public;

create or replace trigger note_superseded_key after insert or update of last_seen_at on signing_keys
  for each row execute function note_superseded_key();
