-- expand: a column that triggers and functions read.

-- When a password was last chosen by an emailed link, which only the reader of the mailbox has, while the address was not verified: before that,
-- others may have been in the account. A company that has created it, and that it has not opened since, takes it over no more: it may be a
-- stranger's, for an address of another person. Null: never.
alter table accounts add column reset_by_link_at timestamptz;
