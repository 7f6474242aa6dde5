import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, it } from 'node:test'
import { sql } from 'kysely'
import { useTestApp } from '../../../test/support/app.ts'
import { plainList } from '../../../test/support/member-reference.ts'
import { rolesOf } from '../../../test/support/members.ts'
import { signUp } from '../../../test/support/people.ts'
import { fillCompany } from '../../../test/support/scale.ts'
import type { Tx } from '../../database/open.ts'
import { inCompany } from '../../database/scopes.ts'
import { listMembers } from './members.ts'
import { MemberQuery } from './schemas.ts'

const MEMBERS = 100_000
const service = await useTestApp()
const ann = await signUp(service.client)
before(() => fillCompany(service.db, ann.company.id, MEMBERS))

/** The list, and how many rows it has read, as PostgreSQL counts them. */
async function read(companyId: string, query: string) {
  const wanted = MemberQuery.parse(Object.fromEntries(new URLSearchParams(query)))
  return service.database.write(inCompany(companyId, ann.id), async (tx) => {
    const before = await rowsReadBy(tx)
    const { items, total } = await listMembers(tx, wanted)
    return { items: JSON.parse(items.text).length, total, rowsRead: (await rowsReadBy(tx)) - before }
  })
}

/** By this connection since it last reported its counts, which it never does within a transaction. */
async function rowsReadBy(tx: Tx): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::float as count from pg_stat_xact_user_tables`.execute(tx)
  return rows[0]?.count ?? 0
}

/** A page of twenty needs twenty memberships, a role or two for each, and a counter. */
const PAGE = 150
const WALKED = 5100

async function assertReads(query: string, rowsMax: number, expected: { items: number; total: number }): Promise<void> {
  // The connection keeps the plan for the company that comes first: here one without members.
  await read(randomUUID(), query)
  const { rowsRead, ...found } = await read(ann.company.id, query)
  assert.deepEqual(found, expected, query)
  assert.ok(rowsRead <= rowsMax, `${query} read ${rowsRead} rows instead of ${rowsMax}`)
}

for (const column of ['name', 'email', 'created_at', 'status'])
  it(`reads only its page of a company of ${MEMBERS} members, sorted by ${column}`, async () => {
    for (const direction of ['asc', 'desc']) {
      const order = `sortBy=${column}&sortDir=${direction}`
      await assertReads(order, PAGE, { items: 20, total: MEMBERS + 1 })
      await assertReads(`${order}&status=inactive`, PAGE, { items: 20, total: MEMBERS / 20 })
      await assertReads(`${order}&status=active`, PAGE, { items: 20, total: MEMBERS - MEMBERS / 20 + 1 })
      await assertReads(`${order}&page=500`, 10_000 + PAGE, { items: 20, total: MEMBERS + 1 })
      await assertReads(`${order}&status=inactive&page=250`, 5000 + PAGE, { items: 20, total: MEMBERS / 20 })
    }
  })

it('reads only its page of a role that all members hold', async () => {
  const { Member, Owner, Admin } = await rolesOf(ann)
  await assertReads(`roleId=${Member}`, WALKED, { items: 20, total: MEMBERS })
  await assertReads(`roleId=${Member}&sortBy=created_at&sortDir=desc`, WALKED, { items: 20, total: MEMBERS })
  await assertReads(`roleId=${Owner}`, PAGE, { items: 1, total: 1 })
  await assertReads(`roleId=${Admin}`, PAGE, { items: 0, total: 0 })
})

it('reads the matches of a search by their index', async () => {
  await assertReads('search=rare', 1000, { items: 20, total: 100 })
  await assertReads('search=stranger', PAGE, { items: 0, total: 0 })
  await assertReads('search=member.77777@', 1000, { items: 1, total: 1 })
})

it('reads the last pages from the end', async () => {
  await assertReads('page=5000', PAGE, { items: 20, total: MEMBERS + 1 })
  await assertReads('page=5001', PAGE, { items: 1, total: MEMBERS + 1 })
  await assertReads('page=1000000', PAGE, { items: 0, total: MEMBERS + 1 })
})

it('answers filters that many members match as plain SQL does', async () => {
  const { Member } = await rolesOf(ann)
  const many = ['search=co', 'search=o', 'search=common', 'search=common+9', 'search=example.test', `roleId=${Member}`]
  const more = ['search=co&status=inactive', `search=person&roleId=${Member}`, `roleId=${Member}&status=active`]
  for (const filter of [...many, ...more])
    for (const order of ['', '&sortBy=email&sortDir=desc', '&page=7&limit=9']) {
      const query = MemberQuery.parse(Object.fromEntries(new URLSearchParams(filter + order)))
      const expected = await plainList(service.db, ann.company.id, query)
      const { body } = await ann.api.get(`/companies/users?${filter}${order}`)
      const found = { ids: body.data.map(({ id }: { id: string }) => id), total: body.total }
      assert.deepEqual(found, { ids: expected.items.map(({ id }) => id), total: expected.total }, filter + order)
    }
})
