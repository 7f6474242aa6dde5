-- expand: takes two references away and adds a trigger in their place (functions/forget_inviter.sql).

-- Ended invitations and links have no bound but time, and the end of a membership wrote to each that the member had made: from some
-- 50,000 on in vain, so that the member could not be removed. Now it writes to those alone that can still be used.
alter table invitations drop constraint invitations_inviter_fkey;
alter table invitation_links drop constraint invitation_links_creator_fkey;
drop index invitations_of_inviter;
drop index invitation_links_of_creator;
create index invitations_pending_by_expiry on invitations (company_id, expires_at) where status = 'pending';
create index invitation_links_usable_by_expiry on invitation_links (company_id, expires_at) where revoked_at is null and uses < max_uses;
