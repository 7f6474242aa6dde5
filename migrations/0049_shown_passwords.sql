-- expand: changes rows alone. That a password of the account was shown is told in every company that the account has opened
-- (functions/sync_membership_from_account.sql), not only in the one that manages it.
update memberships set password_shown = true
from accounts
where accounts.id = memberships.account_id and accounts.password_shown_at is not null and memberships.opened_at is not null
  and not memberships.password_shown;
