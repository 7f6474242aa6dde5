-- expand: a new column with a default.
-- When the codes were made: who undoes a change of the address also takes those that were made since, which an intruder may have.
alter table recovery_codes add column created_at timestamptz not null default now();
