-- expand: policy_findings judges members in parts. The function of two arguments would make calls without a part ambiguous.
drop function if exists policy_findings(jsonb, boolean);
