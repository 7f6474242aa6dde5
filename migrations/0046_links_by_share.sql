-- expand: a column that nodes of 0.2.0 leave empty.

-- The network that requested the link, as wide as shareOf (src/lib/networks.ts). Null: sent by such a node, or for a network that the account knows.
alter table sent_links add column share cidr;
