-- expand: a table, an index and rows; triggers of functions write the table, also for the version before. Under which addresses accounts
-- have been members of a company: who has one of them later, under another account, does not join by it at once. Written by the triggers of
-- functions/remember_former_address.sql and functions/remember_former_member.sql alone.
create table former_addresses (
  company_id uuid not null default current_company() references companies,
  email text collate "C" not null,
  account_id uuid not null references accounts on delete cascade,
  primary key (company_id, email, account_id)
);
create index former_addresses_of_account on former_addresses (account_id);

alter table former_addresses enable row level security;
create policy own_company on former_addresses to tenantry_tenant using (company_id = (select current_company()));
grant select on former_addresses to tenantry_tenant;

insert into company_tables (purge_order, table_name, condition) values (9, 'former_addresses', 'true');

-- By which a declined request keeps its address from asking again.
create index join_requests_declined_by_email on join_requests (company_id, email) where declined_at is not null;

-- The address with which an account has left was not kept until now; the one that it has is the best guess.
insert into former_addresses (company_id, email, account_id)
select former_members.company_id, accounts.email, accounts.id
from former_members join accounts on accounts.id = former_members.account_id;

-- As functions/accept_invitations_of_member.sql does from now on.
update invitations set status = 'accepted', accepted_by = memberships.account_id, finished_at = now()
from memberships
where memberships.company_id = invitations.company_id and memberships.email = invitations.email
  and invitations.status = 'pending' and invitations.expires_at > now();
