import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { startTestApp, useTestApp } from '../../../../test/support/app.ts'
import { signUp } from '../../../../test/support/people.ts'
import { fillCompany } from '../../../../test/support/scale.ts'
import type { CompanyActor } from '../../../access/actors.ts'
import type { Tx } from '../../../database/open.ts'
import { inCompany } from '../../../database/scopes.ts'
import { listNonCompliant } from './compliance.ts'
import { findOwners, impactOnMembers } from './impact.ts'
import { memberRanges } from './member-ranges.ts'

const MEMBERS = 30_000
/** Of whom one in twenty is inactive. */
const ACTIVE = MEMBERS - MEMBERS / 20

const first = await useTestApp()
// As in a database of many companies, where no statement of one company is best answered by reading whole tables.
await first.db.query(
  `do $$ begin execute format('alter database %I set enable_seqscan = off', current_database()); end $$`,
)
const service = await startTestApp({}, first.db)
const ann = await signUp(service.client)
before(async () => {
  const { query } = first.db
  await fillCompany(first.db, ann.company.id, MEMBERS)
  await query('set session_replication_role = replica')
  await query('update memberships set opened_at = now() where company_id = $1', [ann.company.id])
  await query(
    `insert into sessions (id, account_id, refresh_id, refresh_expires_at, ip, expires_at)
     select gen_random_uuid(), account_id, gen_random_uuid(), now() + interval '7 days', '127.0.0.1', now() + interval '30 days'
     from memberships where company_id = $1 and account_id <> $2`,
    [ann.company.id, ann.id],
  )
  await query('set session_replication_role = origin')
  await query('vacuum analyze')
})
after(() => service.close())

/** How many rows `work` reads, as PostgreSQL counts them. */
async function rowsReadBy(work: (tx: Tx) => Promise<unknown>): Promise<number> {
  const count = async (tx: Tx) => {
    const { rows } = await sql<{ count: number }>`
      select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::float as count from pg_stat_xact_user_tables`.execute(tx)
    return rows[0]?.count ?? 0
  }
  return service.database.write({ ...inCompany(ann.company.id, ann.id), slow: true }, async (tx) => {
    const before = await count(tx)
    await work(tx)
    return (await count(tx)) - before
  })
}

const strict = { has_policy: true, policy_age: '24 hours', policy_pause: '30 minutes', policy_factor_from: '-infinity' }

it(`judges the owners of a company of ${MEMBERS} members without looking at the others`, async () => {
  for (const change of [undefined, strict as never]) {
    const rowsRead = await rowsReadBy(async (tx) => assert.equal((await findOwners(tx, change)).length, 1))
    assert.ok(rowsRead < 50, `${rowsRead} rows were read`)
  }
})

it('reads no row of a member twice to tell whom a policy would keep out', async () => {
  const rowsRead = await rowsReadBy(async (tx) => {
    const { rows } = await sql<{ shut: number; all: number }>`
      select count(closed_by)::int as shut, count(*)::int as all from policy_findings(${JSON.stringify(strict)})`.execute(
      tx,
    )
    assert.deepEqual(rows, [{ shut: ACTIVE + 1, all: ACTIVE + 1 }])
  })
  // Of each member the membership, the account and the session.
  assert.ok(rowsRead < 3.2 * MEMBERS, `${rowsRead} rows were read`)
})

it('judges fewer members with one statement where they have many sessions', async () => {
  const { query } = first.db
  const sessionsAtOnce = 2000
  const sessionsEach = 1500
  await query('set session_replication_role = replica')
  await query(
    `insert into sessions (id, account_id, refresh_id, refresh_expires_at, ip, user_agent, expires_at)
     select gen_random_uuid(), account_id, gen_random_uuid(), now() + interval '7 days', '127.0.0.1', 'program', now() + interval '30 days'
     from (select account_id from memberships where company_id = $1 order by account_id limit 10) some_of_them, generate_series(1, $2::int)`,
    [ann.company.id, sessionsEach],
  )
  await query('set session_replication_role = origin')
  const ranges = await service.database.write({ ...inCompany(ann.company.id, ann.id), slow: true }, (tx) =>
    Array.fromAsync(memberRanges(tx, { sessionsAtOnce })),
  )
  const counts = await query<{ members: number; sessions: number }>(
    `select count(distinct memberships.account_id)::int as members, count(sessions.id)::int as sessions
     from unnest($2::uuid[], $3::uuid[]) ranges (after, until)
     join memberships on company_id = $1 and memberships.account_id > after and memberships.account_id <= until
     left join sessions on sessions.account_id = memberships.account_id and revoked_at is null
     group by after order by after`,
    [ann.company.id, ranges.map(({ after }) => after), ranges.map(({ until }) => until)],
  )
  assert.deepEqual(
    counts.slice(0, 5).map(({ members }) => members),
    [2, 2, 2, 2, 2],
  )
  assert.ok(counts.every(({ sessions }) => sessions < sessionsAtOnce + sessionsEach + 1))
  assert.equal(
    counts.reduce((sum, { members }) => sum + members, 0),
    MEMBERS + 1,
  )
  await query(`delete from sessions where user_agent = 'program'`)
})

it('tells the same in parts as at once, whatever the order is', async () => {
  const { query } = first.db
  await query(
    `update sessions set authenticated_at = now() - interval '1 day', last_used_at = now() - random() * interval '5 hours'`,
  )
  await query('update companies set has_policy = true, policy_age = $2 where id = $1', [ann.company.id, '1 hour'])
  const owner = { permissions: new Set(['users:read']) } as never as CompanyActor
  const scope = { ...inCompany(ann.company.id, ann.id), slow: true }
  const inParts = Math.ceil(MEMBERS / 7)
  await service.database.write(scope, async (tx) => {
    const [whole, parts] = [
      await impactOnMembers(tx, strict as never),
      await impactOnMembers(tx, strict as never, { membersAtOnce: inParts }),
    ]
    assert.deepEqual(parts, whole)
    assert.deepEqual([whole.shutNow.total, whole.shutNow.sample?.length], [ACTIVE + 1, 100])
    for (const sortBy of ['name', 'email', 'last_active_at'] as const)
      for (const sortDir of ['asc', 'desc'] as const)
        for (const page of [1, 41]) {
          const wanted = { sortBy, sortDir, page, limit: 50 }
          const all = await listNonCompliant(tx, owner, wanted, { membersAtOnce: MEMBERS * 2 })
          assert.deepEqual([all.total, all.items.length], [ACTIVE + 1, 50])
          assert.deepEqual(await listNonCompliant(tx, owner, wanted, { membersAtOnce: inParts }), all)
        }
  })
})
