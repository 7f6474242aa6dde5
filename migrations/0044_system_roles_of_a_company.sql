-- expand: an index alone, and a function. By the index conditions that ask for the owners, also for those of a replaced role, read no other role
-- of the company (functions/password_reset_authority.sql asks so in each company of a member).
create index roles_of_system on roles (company_id, system_key) where system_key is not null;
