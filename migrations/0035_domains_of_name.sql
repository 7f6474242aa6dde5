-- expand: an index alone, for the companies whose records a proof of their domain by another one replaces
-- (functions/lapse_domain_elsewhere.sql).
create index company_domains_of_name on company_domains (name);
