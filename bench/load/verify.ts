import type pg from 'pg'
import { assertAsTriggersWrite } from '../../src/cli/seed/memberships.ts'

/** Each finds rows that the service would never have written. Constraints and foreign keys are checked by the load. */
const faults: Record<string, string> = {
  'a company without an active Owner who has opened it': `
    select id from companies except
      select memberships.company_id from memberships
      join membership_roles on membership_roles.company_id = memberships.company_id
        and membership_roles.account_id = memberships.account_id
      join roles on roles.id = membership_roles.role_id
      where system_key = 'owner' and status = 'active' and opened_at is not null`,
  'a wrong counter of members': `
    select from company_counters full join (
      select company_id, count(*) filter (where status = 'active') as active,
        count(*) filter (where status = 'inactive') as inactive from memberships group by company_id) counted
    using (company_id) where (active_members, inactive_members) is distinct from (active, inactive)`,
  'a wrong counter of a role': `
    select from role_counters full join (
      select company_id, role_id, count(*) from membership_roles group by company_id, role_id) counted
    using (company_id, role_id) where members is distinct from count`,
  'a wrong number of opened companies': `
    select from accounts left join (
      select account_id, count(*) from memberships where opened_at is not null group by account_id) counted
    on account_id = id where opened_companies <> coalesce(count, 0)`,
  'a slug without a reservation': `
    select from companies left join slugs on slugs.slug = companies.slug where reserved_for is distinct from id`,
  'a member without a role': `
    select company_id, account_id from memberships except select company_id, account_id from membership_roles`,
}

export async function assertLoadedWell(client: pg.Client): Promise<void> {
  for (const [fault, query] of Object.entries(faults)) {
    const { rows } = await client.query(`select count(*)::int as found from (${query}) as faulty`)
    if (rows[0].found > 0) throw new Error(`The load made ${fault}.`)
  }
  await assertAsTriggersWrite(client)
}
