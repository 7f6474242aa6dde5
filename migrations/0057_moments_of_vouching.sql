-- expand: columns of tables that the version before does not know.

-- When the transaction began in which the inviter or creator last stood by it: its session was looked at after that. The time at which the row
-- was written may be later than a reset of the password that ended the session meanwhile (accounts.vouches_from, regained_at).
alter table invitations add column vouched_at timestamptz;
update invitations set vouched_at = updated_at;
alter table invitations alter column vouched_at set default now(), alter column vouched_at set not null;

alter table invitation_links add column vouched_at timestamptz;
update invitation_links set vouched_at = created_at;
alter table invitation_links alter column vouched_at set default now(), alter column vouched_at set not null;
