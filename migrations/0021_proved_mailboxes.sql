-- expand: a new column that may be null.
alter table sessions
  -- The address whose mailbox this session has proved by a code from an email; null: none. It counts while it is the account's.
  add column proved_email text;
-- A session has proved its mailbox by itself, so how long an account is known in a network says nothing more.
alter table known_networks drop column new_until;
