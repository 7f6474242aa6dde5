-- expand: changes a table that no release knows.

-- Attempts in a session are counted apart, so that a thief of one can't keep the owner from signing in.
alter table second_factor_attempts add column purpose text not null default 'sign_in' check (purpose in ('sign_in', 'step_up'));
alter table second_factor_attempts alter column purpose drop default;
alter table second_factor_attempts drop constraint second_factor_attempts_pkey;
alter table second_factor_attempts add primary key (account_id, purpose);
