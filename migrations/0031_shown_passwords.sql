-- expand: a new column, which is null for all passwords.

-- Which administrator was shown the temporary password. It works no more once that account was recovered from an intruder:
-- docs/decisions/0047-invitations.md. Null: none was, or a version before has set it.
alter table passwords add column shown_to uuid;
