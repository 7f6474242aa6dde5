-- expand: changes rows alone. Marks again in which companies a password of the account was shown: an account that changed while 0049
-- ran has kept the mark of before. No account changes until the functions of this version keep the marks, at the end of this transaction.
lock table accounts in share row exclusive mode;

update memberships set password_shown = not memberships.password_shown
from accounts
where accounts.id = memberships.account_id and (memberships.password_shown or accounts.password_shown_at is not null)
  and memberships.password_shown is distinct from
    (accounts.password_shown_at is not null and (memberships.opened_at is not null or memberships.created_account));
