-- For what the current account did to a member, and recorded in the current company: copies the record, with the ids given, into the other
-- companies that the member's account has opened or that manage it, because who opens the account afterwards is in there. One statement,
-- because the locks of the current company and of the account are held meanwhile. A company that the current account has not opened learns
-- neither from where it acts nor by which session.
create or replace function copy_record_to_companies(record uuid, member uuid, copy_ids uuid[]) returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into audit_records (id, company_id, v, action, outcome, actor_id, actor_name, actor_email,
    target_type, target_id, target_label, changes, ip, user_agent, request_id, actor_kind, via_type, via_id)
  select given.id, others.company_id, done.v, done.action, done.outcome, done.actor_id, done.actor_name, done.actor_email,
    done.target_type, done.target_id, done.target_label, done.changes,
    case when others.is_seen then done.ip end, case when others.is_seen then done.user_agent else '' end,
    done.request_id, done.actor_kind, case when others.is_seen then done.via_type end, case when others.is_seen then done.via_id end
  from audit_records done
  cross join (
    select held.company_id, own.opened_at is not null and not coalesce(own.created_account and own.opened_at <= actors.reset_by_link_at, false) as is_seen,
      row_number() over (order by held.company_id) as number
    from memberships held
    join accounts on accounts.id = held.account_id
    join memberships own on own.company_id = held.company_id and own.account_id = current_account()
    join accounts actors on actors.id = own.account_id
    where held.account_id = member and held.company_id <> current_company()
      and (held.opened_at is not null or held.company_id = accounts.managed_by)) others
  join unnest(copy_ids) with ordinality as given (id, number) on given.number = others.number
  where done.id = record and done.company_id = current_company() and done.actor_id = current_account()
    and done.target_type = 'member' and done.target_id = member::text
  order by others.company_id;
end
$$;
revoke all on function copy_record_to_companies from public;
grant execute on function copy_record_to_companies to tenantry_tenant;
