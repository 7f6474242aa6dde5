-- expand: takes a reference away.

-- An operator deletes the account of a person who asks for it, also where that person has added members who stay. Their rows keep its
-- id, which names no one any more. No other reference in its place, because the lock for it would last as long as a look at all rows.
alter table memberships drop constraint memberships_added_by_fkey;
