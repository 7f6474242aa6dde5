-- How often a network has used a limited route of sign-in while the nodes can't count together in Redis. Nothing is lost
-- with these rows, so they are not written to the log of the database: a crash empties the table.
create unlogged table request_counts (
  limit_name text not null,
  network cidr not null,
  count integer not null,
  -- The window in which they count together.
  ends_at timestamptz not null,
  primary key (limit_name, network)
);

grant select, insert, update on request_counts to tenantry_account;
grant select, delete on request_counts to tenantry_worker;
