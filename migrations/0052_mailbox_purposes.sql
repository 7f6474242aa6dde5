-- expand: new columns, of a table that no node of 0.2.0 knows and of sessions, where such a node leaves it null. What a code for a mailbox
-- was sent for is kept, and so is what the session has proved by it: docs/decisions/0049-passkeys.md.

-- Codes of before do not say what they are for. They last 15 minutes.
delete from mailbox_codes;
alter table mailbox_codes add column purpose text not null check (purpose in ('joining', 'factor'));

-- The address whose mailbox this session has proved before a first second factor; null: none. `proved_email` is that of joining a
-- company or answering an invitation. Neither stands in for the other.
alter table sessions add column proved_email_for_factor text;
