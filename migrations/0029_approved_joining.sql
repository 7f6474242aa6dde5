-- expand: new columns, which are null for all domains.

-- Which owner last chose how people join by the domain, and when. Where that account was recovered from an intruder since, people
-- ask: docs/decisions/0050-domains.md. Null: chosen by a version that did not keep it.
alter table company_domains add column approved_by uuid;
alter table company_domains add column approved_at timestamptz;
