-- expand: nodes of 0.2.0 know no domains. The last proof of each name, by which the tokens of all other companies that have added it are
-- replaced without writing to their rows, however many there are (functions/domain_token.sql, functions/prove_domain.sql).
create table domain_proofs (
  name text collate "C" primary key,
  -- Whose proof it was; that company may have deleted its domain since.
  domain_id uuid not null,
  id uuid not null default gen_random_uuid()
);
alter table domain_proofs enable row level security;
insert into domain_proofs (name, domain_id) select name, id from company_domains where status = 'verified';

drop function if exists lapse_domain_elsewhere(uuid, uuid);
