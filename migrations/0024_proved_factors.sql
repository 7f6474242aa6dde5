-- expand: a new column with a default, instead of one that no release knows.

-- Every factor that this session has proved, so that it ends with each of them. It was only the last one. Recovery codes count as
-- one, by the id of the account.
alter table sessions add column second_factor_ids uuid[] not null default '{}';
update sessions set second_factor_ids = array[second_factor_id] where second_factor_id is not null;
alter table sessions drop column second_factor_id;
