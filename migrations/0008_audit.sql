-- What was done or refused, and by which actor, written in the transaction of the change. Records without a company belong
-- to an account alone: signing in, changing a password. The records of a company form a chain that shows tampering:
-- docs/decisions/0011-audit-chain.md. They are written without a position in it; the sealer gives each one a position and a
-- hash over the record and the hash before it, and signs the end of the chain.
create table audit_records (
  id uuid primary key,
  company_id uuid references companies,
  -- The version of the record's form, which the hash covers. A sealer leaves records of a version that it does not know to
  -- a newer one.
  v smallint not null default 1,
  -- The position in the company's chain and the hash; null until the record is sealed.
  seq bigint,
  hash bytea,
  action text not null,
  outcome text not null,
  actor_id uuid,
  actor_name text not null default '',
  actor_email text not null default '',
  target_type text not null,
  target_id text not null default '',
  target_label text not null default '',
  changes jsonb not null default '{}',
  ip inet,
  user_agent text not null default '',
  request_id text not null default '',
  -- As many digits as are shown and as the hash covers.
  created_at timestamptz(3) not null default clock_timestamp(),
  constraint audit_records_hash_check check ((seq is null) = (hash is null))
);
-- For the foreign key when a company is purged: each of the other indexes covers only some of the records.
create index audit_records_of_company on audit_records (company_id) where company_id is not null;
create index audit_records_of_account on audit_records (actor_id, id desc) where company_id is null;
create index audit_records_of_attempts on audit_records (created_at) where company_id is null and outcome <> 'done';
create index audit_records_unsealed on audit_records (company_id, created_at, id)
  where seq is null and company_id is not null;
-- A record enters these indexes when it is sealed, so that the request that writes it pays for fewer of them.
create unique index audit_records_seq_key on audit_records (company_id, seq) where seq is not null;
create index audit_records_by_time on audit_records (company_id, created_at, id) where seq is not null;
create index audit_records_by_actor on audit_records (company_id, actor_id, created_at, id) where seq is not null;
create index audit_records_by_action on audit_records (company_id, action, created_at, id) where seq is not null;
create index audit_records_by_target on audit_records (company_id, target_id, created_at, id) where seq is not null;
create index audit_records_by_target_type on audit_records (company_id, target_type, created_at, id) where seq is not null;
-- Nearly all records have the outcome 'done', so only the others are worth an index.
create index audit_records_refused on audit_records (company_id, outcome, created_at, id)
  where seq is not null and outcome <> 'done';

-- The end of each company's chain. `begins_…` is the start of the chain: 0, or the position after which records were not
-- purged. `number` counts the checkpoints. The signature covers all other columns.
create table audit_heads (
  company_id uuid primary key references companies on delete cascade,
  number bigint not null,
  seq bigint not null,
  hash text not null,
  begins_seq bigint not null,
  begins_hash text not null,
  begins_number bigint not null,
  time timestamptz(3) not null,
  kid text not null,
  signature text not null
);
create index audit_heads_by_time on audit_heads (time, company_id);
create index audit_heads_of_key on audit_heads (kid, company_id);

-- Heads that were kept when the chain had grown by a number of records or minutes. The same columns as audit_heads, in the
-- same order.
create table audit_checkpoints (
  company_id uuid not null references companies on delete cascade,
  number bigint not null,
  seq bigint not null,
  hash text not null,
  begins_seq bigint not null,
  begins_hash text not null,
  begins_number bigint not null,
  time timestamptz(3) not null,
  kid text not null,
  signature text not null,
  primary key (company_id, number)
);
create index audit_checkpoints_by_seq on audit_checkpoints (company_id, seq);
create index audit_checkpoints_of_key on audit_checkpoints (kid, company_id, number);

-- How long a company keeps its records; null, or no row: without end.
create table audit_settings (
  company_id uuid primary key default current_company() references companies on delete cascade,
  retention_days integer check (retention_days between 30 and 3650),
  updated_at timestamptz not null default now()
);

alter table audit_records enable row level security;
alter table audit_heads enable row level security;
alter table audit_checkpoints enable row level security;
alter table audit_settings enable row level security;
create policy own_company on audit_records to tenantry_tenant using (company_id = (select current_company()));
create policy without_company on audit_records for insert to tenantry_account with check (company_id is null);
create policy own_company on audit_heads to tenantry_tenant using (company_id = (select current_company()));
create policy own_company on audit_checkpoints to tenantry_tenant using (company_id = (select current_company()));
create policy own_company on audit_settings to tenantry_tenant using (company_id = (select current_company()));

-- Only the sealer sets the position and the hash, and only the database sets the time.
grant select on audit_records to tenantry_tenant;
grant insert (id, company_id, action, outcome, actor_id, actor_name, actor_email, target_type, target_id, target_label,
  changes, ip, user_agent, request_id) on audit_records to tenantry_tenant, tenantry_account;
grant select on audit_heads, audit_checkpoints to tenantry_tenant;
grant select, insert (retention_days), update (retention_days, updated_at) on audit_settings to tenantry_tenant;

-- The one process that seals, and until when the other processes leave the work to it. The lease only saves work: sealing
-- is correct however many processes do it at once.
create table audit_lease (
  singleton boolean primary key default true check (singleton),
  holder_id uuid not null,
  expires_at timestamptz not null
);
insert into audit_lease (holder_id, expires_at) values (gen_random_uuid(), now());
grant select (singleton, holder_id, expires_at), update (holder_id, expires_at) on audit_lease to tenantry_worker;
