-- expand: functions that nodes of the version before call as they are, and a trigger: a company with very many Owners who do not count stays
-- manageable (functions/check_company_has_owner.sql, functions/policy_findings.sql); a session that ends meanwhile opens no company (functions/open_company.sql); a company
-- that an account opens anew does not learn from where it acts (functions/copy_record_to_companies.sql).

drop function if exists find_former_owners(integer);
drop function if exists open_company(uuid);

-- Whether another owner could pass depends on the account, also where the company is to learn no more of it.
grant select (has_second_factor) on accounts to tenantry_tenant;
