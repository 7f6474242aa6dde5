-- expand: takes a reference away. The end of a domain wrote to each request to join by it, and was in vain from some 40,000 on; a request by a
-- domain that is gone gives what it gave without one.
alter table join_requests drop constraint join_requests_domain_fkey;
drop index join_requests_of_domain;
