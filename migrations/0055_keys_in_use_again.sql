-- expand: columns that a trigger keeps. The renamed one is in no release.

-- Since when nodes sign with the key without a pause of more than a day. Null: since they did first.
alter table signing_keys rename column superseded_at to in_use_since;

-- The key that the service had gone on with for more than a day when a node signed with this one again, or the one that has taken the place of
-- that. Null: none, or it is not in use any more.
alter table signing_keys add column superseded_by text references signing_keys;
