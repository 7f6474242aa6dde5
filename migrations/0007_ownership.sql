-- The pending offer of a company's ownership: at most one for each company, until it is accepted, declined or canceled.
-- The audit log keeps what became of it. An offer is deleted with the membership of either side.
create table ownership_offers (
  company_id uuid not null default current_company() references companies,
  id uuid not null unique,
  from_id uuid not null,
  to_id uuid not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null default now() + interval '7 days',
  constraint ownership_offers_pkey primary key (company_id),
  constraint ownership_offers_to_id_check check (from_id <> to_id),
  constraint ownership_offers_from_fkey
    foreign key (company_id, from_id) references memberships on delete cascade,
  constraint ownership_offers_to_fkey
    foreign key (company_id, to_id) references memberships on delete cascade
);

alter table ownership_offers enable row level security;
create policy own_company on ownership_offers to tenantry_tenant using (company_id = (select current_company()));
grant select, insert, delete on ownership_offers to tenantry_tenant;
