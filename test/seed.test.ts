import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { addMembers } from '../src/cli/seed/members.ts'
import { assertAsTriggersWrite } from '../src/cli/seed/memberships.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { seedCompany } from './support/postgres.ts'

const MEMBERS = 300
const OWNER = 'owner@example.com'

describe('npm run seed', () => {
  let db: TestDatabase
  let client: pg.Client
  let companyId: string

  before(async () => {
    db = await createTestDatabase()
    client = new pg.Client(db.target)
    await client.connect()
    const company = await seedCompany(db)
    companyId = company.id
    await db.query(`update accounts set email = '${OWNER}' where id = '${company.ownerId}'`)
    await db.query(`insert into company_counters (company_id, active_members) values ('${companyId}', 1)`)
    await db.query(
      `insert into roles (company_id, id, name, name_folded, permissions, system_key)
       values ('${companyId}', gen_random_uuid(), 'Member', 'member', '{}', 'member')`,
    )
  })
  after(async () => {
    await client.end()
    await db.drop()
  })

  for (const [name, bulkMin] of Object.entries({ 'in batches': MEMBERS + 1, 'in bulk': MEMBERS }))
    it(`adds members ${name} as the triggers would, and leaves tables as they were`, async () => {
      const before = await definitions()
      await addMembers(db.target, OWNER, MEMBERS, { bulkMin })
      await assertAsTriggersWrite(client)
      await assertCounted()
      assert.deepEqual(await definitions(), before)
    })

  async function assertCounted(): Promise<void> {
    const [counted] = await db.query(`
      select active_members + inactive_members = (select count(*) from memberships) as members,
        (select sum(members) from role_counters) = (select count(*) from membership_roles) as roles
      from company_counters where company_id = '${companyId}'`)
    assert.deepEqual(counted, { members: true, roles: true })
  }

  const definitions = () =>
    db.query(`
      select pg_get_indexdef(indexrelid) as text from pg_index where indrelid::regclass::text !~ '^pg_'
      union all select conname || pg_get_constraintdef(oid) from pg_constraint
      union all select pg_get_triggerdef(oid) || tgenabled::text from pg_trigger where not tgisinternal
      order by 1`)
})
