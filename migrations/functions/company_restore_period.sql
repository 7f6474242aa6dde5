-- How long a deleted company can be restored.
create or replace function company_restore_period() returns interval
language sql immutable parallel safe
return interval '30 days';
