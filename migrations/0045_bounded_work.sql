-- expand: functions alone, which nodes of 0.2.0 do not call. An erasure reads each record once however many addresses it looks for
-- (functions/audit_address_appears.sql), and looks at a bounded number of records of the account with each statement
-- (functions/audit_companies_of_account.sql, functions/audit_addresses_of_account.sql). Companies whose members can't be reminded are
-- passed over (functions/companies_to_remind.sql). Members with many sessions are judged in smaller parts (functions/policy_range_end.sql).
drop function if exists audit_companies_mentioning(text[], text[], text[], uuid, integer);
drop function if exists audit_address_appears(text, jsonb, text[]);
drop function if exists audit_companies_of_account(uuid, uuid, integer);
drop function if exists audit_addresses_of_account(uuid);
drop function if exists companies_to_remind(integer);
