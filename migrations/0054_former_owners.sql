-- expand: a table; triggers of functions write it, also for the version before. Who was an owner of a company until recently: owners who
-- make the others none and delete it then would otherwise be the only ones who are told. Written by the triggers of
-- functions/remember_former_owner.sql and functions/remember_demoted_owner.sql, and read by find_former_owners, alone.
create table former_owners (
  company_id uuid not null default current_company() references companies,
  account_id uuid not null references accounts on delete cascade,
  -- Of the membership. Owners who were made for that, and unmade, take no place of others among those who are told.
  member_since timestamptz not null,
  ended_at timestamptz not null default now(),
  primary key (company_id, account_id)
);
create index former_owners_of_account on former_owners (account_id);
create index former_owners_by_end on former_owners (ended_at);

alter table former_owners enable row level security;
create policy own_company on former_owners to tenantry_tenant using (company_id = (select current_company()));

insert into company_tables (purge_order, table_name, condition) values (16, 'former_owners', 'true');
