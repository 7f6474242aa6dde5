import type pg from 'pg'

// Does for many rows at once what the triggers of memberships and membership_roles do for each one.

/**
 * Inserts memberships of accounts whose address no company asks to verify. `source` is a relation with the columns
 * company_id, account_id, role_id, name, name_folded, email, account_phone,
 * status, phone, opened_at, created_at: one row for each member.
 */
export async function insertMemberships(client: pg.Client, source: string): Promise<void> {
  await client.query(
    `insert into memberships (company_id, account_id, status, phone, opened_at, created_at, updated_at,
       name, name_folded, email, search, account_phone)
     select company_id, account_id, status, phone, opened_at, created_at, created_at,
       name, name_folded, email, name_folded || ' ' || email, case when opened_at is null then '' else account_phone end
     from ${source}`,
  )
  await client.query(
    `insert into membership_roles (company_id, account_id, role_id) select company_id, account_id, role_id from ${source}`,
  )
}

/** Counts the members of these companies, and the holders of their roles. `companies` is a query that gives ids. */
export async function countMembers(client: pg.Client, companies: string): Promise<void> {
  await client.query(
    `insert into company_counters (company_id, active_members, inactive_members)
     select company_id, count(*) filter (where status = 'active'), count(*) filter (where status = 'inactive')
     from memberships where company_id in (${companies}) group by company_id
     on conflict (company_id) do update
     set active_members = excluded.active_members, inactive_members = excluded.inactive_members`,
  )
  await client.query(
    `insert into role_counters (company_id, role_id, members)
     select company_id, role_id, count(*) from membership_roles where company_id in (${companies})
     group by company_id, role_id
     on conflict (company_id, role_id) do update set members = excluded.members`,
  )
}

/** As if the triggers had copied nothing. */
const EMPTY = '{"name":"","name_folded":"","email":"","search":"","account_phone":"","account_position":""}'

/**
 * Throws when a membership differs from what the triggers write for it: inserts some again, with triggers, and compares.
 * Changes nothing.
 */
export async function assertAsTriggersWrite(client: pg.Client, count = 200): Promise<void> {
  const state = `select to_jsonb(memberships) as membership, accounts.opened_companies from memberships
    join accounts on accounts.id = memberships.account_id join sample using (company_id, account_id)`
  await client.query('begin')
  try {
    await client.query(
      `create temp table sample on commit drop as
       select company_id, account_id from memberships tablesample system (0.5) order by random() limit ${count}`,
    )
    await client.query(`create temp table before on commit drop as ${state}`)
    await client.query(
      `delete from memberships where (company_id, account_id) in (select company_id, account_id from sample)`,
    )
    await client.query(
      `insert into memberships
       select (jsonb_populate_record(null::memberships, membership || '${EMPTY}')).* from before`,
    )
    const { rows } = await client.query(`(table before except ${state}) union all (${state} except table before)`)
    if (rows.length > 0) throw new Error(`The triggers write other memberships: ${JSON.stringify(rows.slice(0, 2))}`)
  } finally {
    await client.query('rollback')
  }
}
