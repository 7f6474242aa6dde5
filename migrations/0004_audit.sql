-- What was done or refused, by whom. Written in the transaction of the change; nobody but the owner of the database can
-- change or remove a record. Records without a company belong to an account alone: signing in, changing a password.
create table audit_records (
  id uuid primary key,
  company_id uuid references companies,
  -- The place in the company's chain, given when the record is sealed.
  seq bigint,
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
  created_at timestamptz not null default clock_timestamp(),
  constraint audit_records_seq_key unique (company_id, seq)
);
create index audit_records_of_company on audit_records (company_id, id desc);
create index audit_records_of_account on audit_records (actor_id, id desc) where company_id is null;

alter table audit_records enable row level security;
create policy own_company on audit_records to tenantry_tenant using (company_id = current_company());
create policy without_company on audit_records for insert to tenantry_account with check (company_id is null);

grant select, insert on audit_records to tenantry_tenant;
grant insert on audit_records to tenantry_account;
