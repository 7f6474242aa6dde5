-- The domain that vouches for the reader of the mailbox of an address, or nothing ('') where none does: mail servers that still honor
-- source routes deliver `name%elsewhere@here` and `elsewhere!name@here` to another domain, and programs that decode encoded words in
-- addresses (`=?utf-8?q?…`) may read another address. As src/lib/emails.ts decides. Without `set search_path`, so that it is inlined.
create or replace function domain_vouching_for(address text) returns text
language sql immutable parallel safe
return case when address ~ '[%!]|=[?]' then '' else split_part(address, '@', 2) end;
revoke all on function domain_vouching_for from public;
