-- expand: a right to read, and a function. How often an owner is told of changes depends on whether the address was verified; an offer that a
-- node of the version before writes expires with what else its sender has vouched for (functions/expire_offer_of_recovered.sql).
grant select (email_verified_at) on accounts to tenantry_tenant;
