-- expand: the system roles of all companies give what this version's lists give, whichever version creates the company.
--
-- Work on existing rows that would take too long for a migration. Each start goes on with it in short transactions before it
-- serves, and the next one where one was stopped: docs/decisions/0046-permissions-of-system-roles.md.
create table backfills (
  name text primary key,
  -- The last key whose rows are done.
  done_through uuid,
  -- Null: some is left to do.
  finished_at timestamptz
);
insert into backfills (name) values ('system_roles');
