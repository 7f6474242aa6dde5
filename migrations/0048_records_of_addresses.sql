-- expand: an index alone, and a function. What accounts recorded of changes of their own address, in which another person's may be: an
-- erasure looks there (functions/erase_from_changed_addresses.sql).
create index audit_records_of_addresses on audit_records (id)
  where company_id is null and actor_id is not null and (changes ? 'email' or changes ? 'pending_email');
