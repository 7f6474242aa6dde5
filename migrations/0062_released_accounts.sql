-- expand: a column that triggers and functions read.

-- When a password was last chosen by an emailed link, which only the reader of the mailbox has. A company that has created the account, and that
-- the account has not opened, takes it over no more from then on: it may have been a stranger's, for an address of another person. Null: never.
alter table accounts add column reset_by_link_at timestamptz;
