-- expand: a column that the database computes, for old nodes too, and another index. Nodes of 0.2.0, which take the oldest of all, sort what waits.

-- The network that gets one fair share of what sends links: as wide as shareOf (src/lib/networks.ts).
alter table link_requests
  add column share cidr not null generated always as
    (set_masklen(network, least(masklen(network), case family(network) when 4 then 24 else 48 end))) stored;
create index link_requests_of_share on link_requests (share, retry_at, id);
-- So that the index above is the only one in whose order a round can look, whatever the statistics say during a flood.
drop index link_requests_due;
