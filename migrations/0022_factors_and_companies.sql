-- expand: functions that read across companies take the session as well. A node of 0.2.0 calls them without one.
drop function if exists find_member_companies(uuid);
drop function if exists search_accounts(text, text, integer);
drop function if exists password_reset_authority(uuid);
drop function if exists companies_with_permission(text);
