import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { sql } from 'kysely'
import { startTestApp, useTestApp } from '../../test/support/app.ts'
import { signUp } from '../../test/support/people.ts'
import { setPolicy } from '../../test/support/policies.ts'
import { fillCompany } from '../../test/support/scale.ts'
import { asAccount } from '../database/scopes.ts'
import type { ClosedCode } from './policies.ts'
import { companyGate, type GateRow } from './sessions.ts'

const MEMBERS = 100_000

const first = await useTestApp()
const { query } = first.db
// As in a database of many companies, where no statement of one company is best answered by reading whole tables.
await query(`do $$ begin execute format('alter database %I set enable_seqscan = off', current_database()); end $$`)
const service = await startTestApp({}, first.db)
after(() => service.close())

/** Each field asks for something that the session of this test has. */
const OPEN = `policy_age = '24 hours', policy_pause = '30 minutes', policy_factor_from = now(), policy_factor_roles = '{owner}',
  policy_passwords = '{0,8}', policy_networks =`

it(`A session of one of ${MEMBERS} members is judged by a few rows, with a policy as without one`, async () => {
  const ann = await signUp(service.client)
  await fillCompany(first.db, ann.company.id, MEMBERS)
  const [member] = await query<{ accountId: string; sessionId: string }>(
    `insert into sessions (id, account_id, refresh_id, refresh_expires_at, ip, expires_at, authenticated_at, password_class)
     select gen_random_uuid(), account_id, gen_random_uuid(), now() + interval '7 days', '127.0.0.1',
       now() + interval '30 days', now(), 8
     from memberships where company_id = $1 and status = 'active' and account_id <> $2 limit 1
     returning account_id as "accountId", id as "sessionId"`,
    [ann.company.id, ann.id],
  )
  await query('vacuum analyze')
  const caller = { ...(member as { accountId: string; sessionId: string }), ip: '127.0.0.1' }

  const outcomes: (ClosedCode | null)[] = []
  for (const columns of ['', `${OPEN} '{127.0.0.0/8,10.0.0.0/8}'`, `${OPEN} '{192.0.2.0/24}'`]) {
    if (columns) await setPolicy(first.db, ann.company.id, columns)
    const { closedBy, rowsRead } = await judge(caller, ann.company.id)
    assert.ok(rowsRead > 2 && rowsRead < 20, `${rowsRead} rows were read with ${columns || 'no policy'}`)
    outcomes.push(closedBy)
  }
  assert.deepEqual(outcomes, [null, null, 'network_not_allowed'])
})

/** By the statement that every request in a company begins with, and the rows that it reads, as PostgreSQL counts them. */
async function judge(caller: { accountId: string; sessionId: string; ip: string }, companyId: string) {
  const { sql: text, parameters = [] } = companyGate(caller, companyId, { access: { company: 'membership' } })
  const parts = text
    .split(/\$(\d+)/)
    .map((part, index) => (index % 2 ? sql`${parameters[Number(part) - 1]}` : sql.raw(part)))
  return service.database.write(asAccount(caller.accountId), async (tx) => {
    const count = async () => {
      const { rows } = await sql<{ count: number }>`
        select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::float as count from pg_stat_xact_user_tables`.execute(tx)
      return rows[0]?.count ?? 0
    }
    const before = await count()
    const { rows } = await sql<GateRow>`${sql.join(parts, sql.raw(''))}`.execute(tx)
    const row = rows[0] as { closed_by?: ClosedCode | null }
    return { closedBy: row.closed_by ?? null, rowsRead: (await count()) - before }
  })
}
