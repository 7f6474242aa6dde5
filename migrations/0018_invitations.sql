-- expand: invitations by email, and links by which people join a company.

-- An invitation waits for the answer of the person who reads an address: it makes no member without consent. Rows change only
-- under the lock of their company.
create table invitations (
  company_id uuid not null default current_company() references companies,
  id uuid primary key,
  email text collate "C" not null,
  -- What the inviter called the person; may be empty.
  name text not null default '',
  -- Name and address without letter case and accents, computed by the service (src/lib/text.ts).
  search text collate "C" not null default '',
  locale text not null default '',
  -- The token in the email is derived from this id and APP_SECRET. Each email has an id of its own, so that the links of those
  -- before stop working.
  link_id uuid not null,
  -- The member who vouches for the roles: who invited, or edited the invitation last. Null: that member has left.
  inviter_id uuid,
  -- A pending one that has expired counts as expired from that moment on; the word is written when the address is invited again.
  status text not null default 'pending' check (status in ('pending', 'accepted', 'declined', 'revoked', 'expired')),
  valid_days smallint not null,
  expires_at timestamptz not null,
  sent_at timestamptz not null default now(),
  -- How often it was sent again.
  resent integer not null default 0,
  accepted_by uuid references accounts on delete set null,
  finished_at timestamptz,
  created_at timestamptz not null default now(),
  -- When a member last stood by it: created, edited or sent it again. By the clock and not by the transaction's beginning, because
  -- it is compared with former_members.left_at.
  updated_at timestamptz not null default clock_timestamp(),
  unique (company_id, id),
  constraint invitations_link_key unique (link_id),
  constraint invitations_valid_days_check check (valid_days between 1 and 30),
  constraint invitations_finished_at_check check ((status = 'pending') = (finished_at is null)),
  constraint invitations_accepted_by_check check (accepted_by is null or status = 'accepted'),
  constraint invitations_inviter_fkey
    foreign key (company_id, inviter_id) references memberships on delete set null (inviter_id)
);
create unique index invitations_pending_key on invitations (company_id, email) where status = 'pending';
create index invitations_by_created_at on invitations (company_id, created_at, id);
create index invitations_by_expires_at on invitations (company_id, expires_at, id);
create index invitations_by_email on invitations (company_id, email, id);
create index invitations_of_inviter on invitations (company_id, inviter_id);
create index invitations_of_email on invitations (email);
create index invitations_by_age on invitations (coalesce(finished_at, expires_at));

-- The roles and branches that the person gets. Those of a finished invitation go with the role or the branch.
create table invitation_roles (
  company_id uuid not null default current_company() references companies,
  invitation_id uuid not null,
  role_id uuid not null,
  primary key (company_id, invitation_id, role_id),
  constraint invitation_roles_invitation_fkey
    foreign key (company_id, invitation_id) references invitations (company_id, id) on delete cascade,
  constraint invitation_roles_role_fkey
    foreign key (company_id, role_id) references roles (company_id, id) on delete cascade
);
create index invitation_roles_of_role on invitation_roles (company_id, role_id);

create table invitation_branches (
  company_id uuid not null default current_company() references companies,
  invitation_id uuid not null,
  branch_id uuid not null,
  primary key (company_id, invitation_id, branch_id),
  constraint invitation_branches_invitation_fkey
    foreign key (company_id, invitation_id) references invitations (company_id, id) on delete cascade,
  constraint invitation_branches_branch_fkey
    foreign key (company_id, branch_id) references branches (company_id, id) on delete cascade
);
create index invitation_branches_of_branch on invitation_branches (company_id, branch_id);

-- A link that a company hands out itself: each person who has it, and a verified address, joins with these roles.
create table invitation_links (
  company_id uuid not null default current_company() references companies,
  id uuid primary key,
  -- SHA-256 of the token, which is shown once.
  token_hash bytea not null,
  -- The member who vouches for the roles; null: has left.
  creator_id uuid,
  max_uses integer not null,
  uses integer not null default 0,
  -- Of the addresses that may join; empty: all.
  allowed_domains text[] not null default '{}',
  expires_at timestamptz not null,
  revoked_at timestamptz,
  -- By the clock, because it is compared with former_members.left_at.
  created_at timestamptz not null default clock_timestamp(),
  unique (company_id, id),
  constraint invitation_links_token_key unique (token_hash),
  constraint invitation_links_uses_check check (max_uses between 1 and 500 and uses between 0 and max_uses),
  constraint invitation_links_creator_fkey
    foreign key (company_id, creator_id) references memberships on delete set null (creator_id)
);
create index invitation_links_by_created_at on invitation_links (company_id, created_at, id);
create index invitation_links_by_expires_at on invitation_links (company_id, expires_at, id);
create index invitation_links_of_creator on invitation_links (company_id, creator_id);
create index invitation_links_by_age on invitation_links (coalesce(revoked_at, expires_at));

create table invitation_link_roles (
  company_id uuid not null default current_company() references companies,
  link_id uuid not null,
  role_id uuid not null,
  primary key (company_id, link_id, role_id),
  constraint invitation_link_roles_link_fkey
    foreign key (company_id, link_id) references invitation_links (company_id, id) on delete cascade,
  constraint invitation_link_roles_role_fkey
    foreign key (company_id, role_id) references roles (company_id, id) on delete cascade
);
create index invitation_link_roles_of_role on invitation_link_roles (company_id, role_id);

alter table invitation_links enable row level security;
alter table invitation_link_roles enable row level security;
create policy own_company on invitation_links to tenantry_tenant using (company_id = (select current_company()));
create policy own_company on invitation_link_roles to tenantry_tenant using (company_id = (select current_company()));
grant select, insert, update on invitation_links to tenantry_tenant;
grant select, insert on invitation_link_roles to tenantry_tenant;

alter table invitations enable row level security;
alter table invitation_roles enable row level security;
alter table invitation_branches enable row level security;
create policy own_company on invitations to tenantry_tenant using (company_id = (select current_company()));
create policy own_company on invitation_roles to tenantry_tenant using (company_id = (select current_company()));
create policy own_company on invitation_branches to tenantry_tenant using (company_id = (select current_company()));
grant select, insert, update on invitations to tenantry_tenant;
grant select, insert, delete on invitation_roles, invitation_branches to tenantry_tenant;

insert into company_tables (purge_order, table_name, condition) values
  (6, 'invitation_roles', 'true'),
  (7, 'invitation_branches', 'true'),
  (8, 'invitations', 'true'),
  (13, 'invitation_link_roles', 'true'),
  (14, 'invitation_links', 'true');
